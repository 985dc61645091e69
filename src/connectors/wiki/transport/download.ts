import { AppError, type ErrorCode } from '../../../errors.ts'
import type { EgressResponse } from '../../egress/egress.ts'
import type { RequestSpec } from './request-runner.ts'
import { errorOfResponse, type FailedResponse } from './response-errors.ts'
import { type Site, type UrlQuery, urlInside } from './site.ts'

/** A file of the wiki: by a path of its own, or by an address that must be one of its own. */
export type Download = {
  doing: string
  path?: string
  query?: UrlQuery
  url?: URL
  maxBytes: number
  /** Asked once, with the first 4,100 bytes or all where there are fewer; where it says no, the rest is not read. */
  shouldContinue?(head: Uint8Array): boolean | Promise<boolean>
}
export type Downloaded = {
  bytes: Uint8Array
  /** False where `shouldContinue` said no: then there may be more than these bytes. */
  whole: boolean
  contentType: string | null
  /** Where it came from in the end; without the query, which on other hosts holds a token. */
  url: URL
}

/** A hundred megabytes may take minutes; what takes a quarter of an hour never ends. */
const WHOLE_MS = 15 * 60_000

type Sending = { site: Site; headers: Record<string, string>; idleMs: number }

/** The request for a file and what its answer is taken for. */
export function downloadSpec(what: Download, { site, headers, idleMs }: Sending): RequestSpec<Downloaded> {
  const { doing, maxBytes, shouldContinue } = what
  const url = ownAddress(what, site)
  return {
    doing,
    url,
    request: {
      // As it is: the announced length is then that of the file, and files are packed as they are.
      headers: { ...headers, accept: '*/*', 'accept-encoding': 'identity' },
      maxBytes,
      shouldContinue,
      redirects: 'untrusted',
      idleMs,
      timeoutMs: WHOLE_MS,
    },
    // How long a file takes depends on its length alone.
    kind: null,
    judge: (response) => judgeFile({ doing, site }, response),
    translate: (broken) => as(broken, BROKEN[broken.error.code]),
  }
}

/**
 * The address of a file, which goes out with the credentials: it has to be inside the wiki. Paths and addresses of
 * files come out of answers, and a path such as `@elsewhere` behind the host's name would lead to another host.
 */
function ownAddress({ doing, path, query, url }: Download, site: Site): URL {
  const own = new URL(site.base)
  const folder = own.pathname.replace(/\/+$/, '')
  const address = url ?? (path?.startsWith('/') ? urlInside(site, path, query) : null)
  if (address?.origin === own.origin && address.pathname.startsWith(`${folder}/`)) return address
  throw new AppError('invalid_request', `${doing}: the address is not one of ${site.name}`)
}

type Asked = { doing: string; site: Site }

async function judgeFile(
  { doing, site }: Asked,
  response: EgressResponse,
): Promise<{ value: Downloaded } | FailedResponse> {
  const { headers, url, whole } = response
  const failed = await errorOfResponse(doing, response, site)
  if (failed) return url.origin === site.origin ? as(failed, OWN[failed.error.code]) : elsewhere(failed)
  const contentType = headers.get('content-type')
  // A file is sent as one, whatever it is; a page without that is the sign-in, of the wiki or of the company.
  if (/html/i.test(contentType ?? '') && !headers.has('content-disposition')) {
    const why = `${site.name} answered with its sign-in page instead of the file`
    return { error: new AppError('source_forbidden', `${doing}: ${why}`), tries: 1 }
  }
  const from = new URL(`${url.origin}${url.pathname}`)
  return { value: { bytes: await response.bytes(), whole, contentType, url: from } }
}

type Codes = Partial<Record<ErrorCode, ErrorCode>>

/** Some paths for files refuse every token, good ones too: that says nothing about the rest of the wiki. */
const OWN: Codes = { source_unauthorized: 'source_forbidden' }
/** Where the wiki itself cannot be reached, the next question tells; a file may be behind another host. */
const BROKEN: Codes = { source_unreachable: 'source_failed', egress_refused: 'source_forbidden' }

/** A file's host that refuses took the token of its address for too old: asking the wiki again gives a new one. */
function elsewhere(failed: FailedResponse): FailedResponse {
  const told = as(failed, { ...OWN, ...BROKEN }[failed.error.code])
  return { ...told, tries: told.error.code === 'source_forbidden' ? 2 : Math.min(told.tries, 4) }
}

function as(failed: FailedResponse, code: ErrorCode | undefined): FailedResponse {
  if (!code) return failed
  const { message, cause, fix } = failed.error
  return { ...failed, error: new AppError(code, message, { cause, ...(fix ? { fix } : {}) }) }
}
