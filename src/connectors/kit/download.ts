import { AppError, type ErrorCode } from '../../errors.ts'
import type { EgressResponse } from '../egress/egress.ts'
import type { FailedResponse } from './failed-response.ts'
import type { RequestSpec } from './request-runner.ts'

export type Download = {
  doing: string
  url: URL
  maxBytes: number
  /** Called once with the first 4,100 bytes; false stops the download. */
  shouldContinue?(head: Uint8Array): boolean | Promise<boolean>
}
export type Downloaded = {
  bytes: Uint8Array
  /** False if `shouldContinue` stopped the download. */
  complete: boolean
  contentType: string | null
  /** After redirects; without the query, which holds a token on other hosts. */
  url: URL
}

/** 100 MB may take minutes; after 15 minutes the download counts as stuck. */
const DOWNLOAD_MS = 15 * 60_000

/** Slower files fail, or a site could keep a slice busy with a few bytes per minute. */
const MIN_BYTES_PER_SECOND = 32 * 1024

type DownloadContext = {
  site: { origin: string; name: string }
  headers: Record<string, string>
  idleMs: number
  /** How long a download may be slow. */
  slowMs: number
  /** Null for a successful response. */
  errorOf(response: EgressResponse): Promise<FailedResponse | null>
}

/** The request for a file of the site, and how its response is read. */
export function downloadSpec(what: Download, options: DownloadContext): RequestSpec<Downloaded> {
  const { doing, url, maxBytes, shouldContinue } = what
  const { headers, idleMs, slowMs } = options
  return {
    doing,
    url,
    request: {
      // Uncompressed, so that the announced length is that of the file.
      headers: { ...headers, accept: '*/*', 'accept-encoding': 'identity' },
      maxBytes,
      shouldContinue,
      redirects: 'untrusted',
      idleMs,
      minSpeed: { bytesPerSecond: MIN_BYTES_PER_SECOND, afterMs: slowMs },
      timeoutMs: DOWNLOAD_MS,
    },
    // The time depends on the size of the file only.
    kind: null,
    readResponse: (response) => readFileResponse(doing, response, options),
    translate: (broken) => withCode(broken, OTHER_HOST[broken.error.code]),
  }
}

async function readFileResponse(
  doing: string,
  response: EgressResponse,
  { site, errorOf }: DownloadContext,
): Promise<{ value: Downloaded } | FailedResponse> {
  const { headers, url, complete } = response
  const failed = await errorOf(response)
  if (failed)
    return url.origin === site.origin
      ? withCode(failed, OWN_HOST[failed.error.code])
      : failedOnOtherHost(failed)
  const contentType = headers.get('content-type')
  // HTML that is not sent as a file is a sign-in page.
  if (/html/i.test(contentType ?? '') && !headers.has('content-disposition')) {
    const why = `${site.name} answered with its sign-in page instead of the file`
    return { error: new AppError('source_forbidden', `${doing}: ${why}`), tries: 1 }
  }
  const from = new URL(`${url.origin}${url.pathname}`)
  return { value: { bytes: await response.bytes(), complete, contentType, url: from } }
}

type Codes = Partial<Record<ErrorCode, ErrorCode>>

/** Some paths refuse every token, so a 401 does not end the job. */
const OWN_HOST: Codes = { source_unauthorized: 'source_forbidden' }
/** A failure of another host does not concern the site. */
const OTHER_HOST: Codes = { source_unreachable: 'source_failed', egress_refused: 'source_forbidden' }

/** The token in the URL expired; the site issues a new one. */
function failedOnOtherHost(failed: FailedResponse): FailedResponse {
  const changed = withCode(failed, { ...OWN_HOST, ...OTHER_HOST }[failed.error.code])
  return { ...changed, tries: changed.error.code === 'source_forbidden' ? 2 : Math.min(changed.tries, 4) }
}

function withCode(failed: FailedResponse, code: ErrorCode | undefined): FailedResponse {
  if (!code) return failed
  const { message, cause, fix } = failed.error
  return { ...failed, error: new AppError(code, message, { cause, fix }) }
}
