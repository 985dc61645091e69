import type { z } from 'zod'
import { AppError } from '../../../errors.ts'
import type { Egress, EgressResponse } from '../../egress/egress.ts'
import { type Download, type Downloaded, downloadSpec } from '../../kit/download.ts'
import type { FailedResponse } from '../../kit/failed-response.ts'
import { kindOf } from '../../kit/latency.ts'
import { createRequestRunner, type RequestSpec, type RetryOptions } from '../../kit/request-runner.ts'
import { refusedSignIn, saysSignedIn } from './login-reason.ts'
import { errorOfResponse, misread, type ResponseInfo, signInPage } from './response-errors.ts'
import { apiUrl, type Site, type UrlQuery, urlOfLink } from './site.ts'

/** A request to the wiki; error messages start with `doing`. */
export type WikiRequest<T> = {
  doing: string
  path: string
  query?: UrlQuery
  /** Sent as JSON in a POST. */
  body?: object
  /** Fewer than the default if a retry is unlikely to help. */
  tries?: number
  response: z.ZodType<T>
}

export type WikiTransport = {
  site: Site
  send<T>(request: WikiRequest<T>, signal: AbortSignal): Promise<T>
  /** All pages of a list, by `_links.next`. */
  sendPaged<T extends PagedResponse>(request: WikiRequest<T>, signal: AbortSignal): AsyncGenerator<T>
  /** Errors fail one document, unless the wiki is down. */
  download(what: WikiFile, signal: AbortSignal): Promise<Downloaded>
}
/** A file of the wiki, by path or by a URL inside the wiki. */
export type WikiFile = Omit<Download, 'url'> & { path?: string; query?: UrlQuery; url?: URL }
/** `unsignedCount`: responses so far that did not say that the credentials were accepted. */
export type SignedTransport = WikiTransport & { unsignedCount(): number }
type PagedResponse = { _links?: { next?: string | null } | null }

export type TransportOptions = RetryOptions & {
  timeoutMs?: number
  /** The longest silence in a download. */
  idleMs?: number
  /** How long a download may be slow. */
  slowMs?: number
}

/** They change how long a request takes. */
const AMOUNTS = ['expand', 'body-format', 'limit']
const MAX_BYTES = 64 * 1024 * 1024
/** 25 million pages at 250 each; a longer list repeats itself. */
const MAX_PAGES = 100_000

export function createWikiTransport(
  access: { site: Site; authorization: string | null; egress: Egress },
  options: TransportOptions = {},
): SignedTransport {
  const { site, authorization } = access
  const { timeoutMs = 60_000, idleMs = 60_000, slowMs = 60_000 } = options
  const runner = createRequestRunner(access, options)
  let unsigned = 0
  const authHeaders: Record<string, string> = authorization ? { authorization } : {}
  const headers = { ...authHeaders, accept: 'application/json' }

  function run<T>(spec: RequestSpec<T>, signal: AbortSignal): Promise<T> {
    if (!authorization) return runner(spec, signal)
    const readResponse: typeof spec.readResponse = async (response) => {
      // Another host got no credentials.
      if (response.url.origin !== site.origin) return spec.readResponse(response)
      if (!saysSignedIn(response)) unsigned++
      return refusedSignIn(spec.doing, response, site) ?? spec.readResponse(response)
    }
    return runner({ ...spec, readResponse }, signal)
  }

  async function sendTo<T>(request: WikiRequest<T>, url: URL, signal: AbortSignal): Promise<T> {
    const { doing, body, tries } = request
    const options = body ? postOptions(headers, body) : { headers }
    const egressRequest = { ...options, maxBytes: MAX_BYTES, timeoutMs }
    const kind = kindOf(body ? 'POST' : 'GET', url, AMOUNTS)
    const readResponse = (response: EgressResponse) => readJson(doing, response, site)
    const result = request.response.safeParse(
      await run({ doing, url, request: egressRequest, kind, tries, readResponse }, signal),
    )
    if (result.success) return result.data
    // Names the field, never its value: it may be confidential.
    const at = result.error.issues[0]?.path.join('.') || 'the top'
    throw new AppError(
      'source_misread',
      `${doing}: the response of ${site.name} has an unexpected shape at ${at}`,
    )
  }

  return {
    site,
    unsignedCount: () => unsigned,
    send: (request, signal) => sendTo(request, apiUrl(site, request.path, request.query), signal),
    sendPaged: async function* (request, signal) {
      let url = apiUrl(site, request.path, request.query)
      const seen = new Set<string>()
      for (let page = 0; page < MAX_PAGES; page++) {
        seen.add(url.href)
        const response = await sendTo(request, url, signal)
        yield response
        const next = response._links?.next
        if (!next) return
        url = urlOfLink(site, next, url)
        if (seen.has(url.href)) break
      }
      throw new AppError('source_misread', `${request.doing}: the list of ${site.name} repeats itself`)
    },
    download: async (what, signal) => {
      const errorOf = (response: EgressResponse) => errorOfResponse(what.doing, response, site)
      const options = { site, headers: authHeaders, idleMs, slowMs, errorOf }
      return run(downloadSpec({ ...what, url: addressInside(what, site) }, options), signal)
    },
  }
}

/** Inside the wiki, since credentials are sent; a path such as `@host` would leave it. */
function addressInside({ doing, path, query, url }: WikiFile, site: Site): URL {
  const own = new URL(site.base)
  const folder = own.pathname.replace(/\/+$/, '')
  const address = url ?? (path?.startsWith('/') ? apiUrl(site, path, query) : null)
  if (address?.origin === own.origin && address.pathname.startsWith(`${folder}/`)) return address
  throw new AppError('invalid_request', `${doing}: the address is outside ${site.name}`)
}

function postOptions(headers: Record<string, string>, body: object) {
  return {
    method: 'POST' as const,
    // Data Center rejects a POST without the second header as cross-site.
    headers: { ...headers, 'content-type': 'application/json', 'x-atlassian-token': 'no-check' },
    body: JSON.stringify(body),
  }
}

async function readJson(
  doing: string,
  response: EgressResponse,
  site: Site,
): Promise<{ value: unknown } | FailedResponse> {
  const failed = await errorOfResponse(doing, response, site)
  if (failed) return failed
  if (/html/i.test(response.headers.get('content-type') ?? '')) return signInPage(doing, site)
  try {
    return { value: JSON.parse(await response.text()) }
  } catch {
    return misread(doing, 'sent a response that is cut off or not JSON', site)
  }
}

/** The HTTP status behind an error, if there was a response. */
export function statusOfError(error: unknown): number | null {
  const { status } = responseOf(error)
  return typeof status === 'number' ? status : null
}

/** Whether the response said that the credentials were not accepted; a mere 401 may concern its request alone. */
export function isSignedOut(error: unknown): boolean {
  return responseOf(error).signedOut === true
}

function responseOf(error: unknown): Partial<ResponseInfo> {
  return error instanceof AppError ? ((error.cause ?? {}) as Partial<ResponseInfo>) : {}
}

/** A smaller request may help, a retry does not. */
export function isTooLong(error: unknown): boolean {
  return error instanceof AppError && error.code === 'source_answer_too_long'
}

export function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'source_not_found'
}

export function nullIfMissing(error: unknown): null {
  if (isNotFound(error)) return null
  throw error
}
