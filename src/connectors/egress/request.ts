import { type Dispatcher, request as send } from 'undici'
import { AppError } from '../../errors.ts'
import { type LimitedBody, readBody } from './body.ts'
import type { EgressRequest, EgressResponse } from './egress.ts'
import { appErrorIn, describeFailure } from './failure.ts'

const maxRedirects = 5
const defaultTimeoutMs = 60_000
// More than any page of a listing; attachments set their own limit.
const defaultMaxBytes = 64 * 1024 * 1024

const UNKNOWN_AUTHORITY_FIX =
  'Add the certificate of the authority to the settings of the source, or the service operator adds it to MILLRACE_CA_FILE'

/** A dispatcher, and the check of each URL before it is used. */
export type CheckedDispatcher = { dispatcher: Dispatcher; check(url: URL): void }
type GuardedRequest = EgressRequest & { url: URL }

/** Sends one request with its redirects; the time limit covers the body. */
export async function requestThrough(
  { own, others }: { own: CheckedDispatcher; others: CheckedDispatcher },
  request: GuardedRequest,
  signal: AbortSignal,
): Promise<EgressResponse> {
  signal.throwIfAborted()
  const timeoutMs = request.timeoutMs ?? defaultTimeoutMs
  const limit = limitTime(signal, timeoutMs)
  let hop = firstHop(request)
  try {
    for (let redirects = 0; ; redirects++) {
      const guard = hop.url.hostname === request.url.hostname ? own : others
      guard.check(hop.url)
      const response = await exchange(guard.dispatcher, hop, limit.signal)
      const target = redirectTarget(response)
      if (target === null || request.redirects === 'none') return response
      if (redirects === maxRedirects) {
        throw new AppError(
          'source_failed',
          `${hop.method} ${hop.url.host}: more than ${maxRedirects} redirects`,
        )
      }
      hop = nextHop(hop, response.status, target)
    }
  } catch (error) {
    signal.throwIfAborted()
    const known = appErrorIn(error)
    if (known) throw known
    const { kind, message } = describeFailure(error)
    const why = limit.isOver() ? `no response within ${timeoutMs / 1000} s` : message
    const fix = kind === 'unknown_authority' ? { fix: UNKNOWN_AUTHORITY_FIX } : {}
    throw new AppError('source_unreachable', `connecting to ${hop.url.host}: ${why}`, {
      cause: error,
      ...fix,
    })
  } finally {
    limit.end()
  }
}

/**
 * Aborts with `signal` or after a time, until `end`. `AbortSignal.timeout` would stay in memory for a minute after
 * each request.
 */
function limitTime(signal: AbortSignal, timeoutMs: number) {
  const controller = new AbortController()
  let isOver = false
  const cancel = () => controller.abort(signal.reason)
  signal.addEventListener('abort', cancel, { once: true })
  const timer = setTimeout(() => {
    isOver = true
    controller.abort()
  }, timeoutMs)
  return {
    signal: controller.signal,
    isOver: () => isOver,
    end: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    },
  }
}

type Hop = Required<Pick<EgressRequest, 'method' | 'headers' | 'maxBytes'>> &
  Pick<EgressRequest, 'idleMs' | 'minSpeed' | 'shouldContinue' | 'discardBody'> & {
    url: URL
    body: string | null
  }

function firstHop({
  method = 'GET',
  headers = {},
  maxBytes = defaultMaxBytes,
  ...rest
}: GuardedRequest): Hop {
  const { url, body = null, idleMs, minSpeed, shouldContinue, discardBody = false } = rest
  const allHeaders = { 'accept-encoding': 'gzip, br', 'user-agent': 'millrace', ...lowerCased(headers) }
  const speed = { ...(idleMs ? { idleMs } : {}), ...(minSpeed ? { minSpeed } : {}) }
  const options = { maxBytes, shouldContinue, discardBody, ...speed }
  return { url, method, headers: allHeaders, body, ...options }
}

async function exchange(dispatcher: Dispatcher, hop: Hop, signal: AbortSignal): Promise<EgressResponse> {
  const { url, method, headers, body, idleMs } = hop
  const idleTimeouts = idleMs ? { headersTimeout: idleMs, bodyTimeout: idleMs } : {}
  const response = await send(url, { dispatcher, method, headers, body, signal, ...idleTimeouts })
  const { bytes, complete } = hop.discardBody
    ? discard(response)
    : await readBody(response, { ...hop, host: url.host })
  return {
    status: response.statusCode,
    headers: toHeaders(response.headers),
    url,
    complete,
    bytes: async () => bytes,
    text: async () => new TextDecoder().decode(bytes),
  }
}

/** A short body leaves the connection open for the next request. */
const DISCARDED_BYTES = 16 * 1024
const DISCARD_MS = 10_000

/** Not awaited. */
function discard(response: Dispatcher.ResponseData): LimitedBody {
  response.body.dump({ limit: DISCARDED_BYTES, signal: AbortSignal.timeout(DISCARD_MS) }).catch(() => {})
  return { bytes: new Uint8Array(), complete: false }
}

function redirectTarget({ status, headers, url }: EgressResponse): URL | null {
  const location = headers.get('location')
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return null
  const target = URL.parse(location, url.href)
  if (target === null) throw new AppError('source_failed', `${url.host} redirects to an invalid address`)
  return target
}

function nextHop(hop: Hop, status: number, target: URL): Hop {
  const sameOrigin = target.origin === hop.url.origin
  const becomesGet = status <= 303 && hop.method !== 'HEAD'
  const method = becomesGet ? 'GET' : hop.method
  if (!sameOrigin && method !== 'GET' && method !== 'HEAD') {
    const message = `${method} ${hop.url.host}: it redirects to ${target.host}, and the body must not go to another host`
    throw new AppError('egress_refused', message)
  }
  // Any header may hold a credential, so other hosts get only harmless ones.
  const kept = sameOrigin ? Object.keys(hop.headers) : ['accept', 'accept-encoding', 'user-agent']
  const dropped = becomesGet ? ['content-type', 'content-length'] : []
  const headers = Object.fromEntries(
    Object.entries(hop.headers).filter(([name]) => kept.includes(name) && !dropped.includes(name)),
  )
  return { ...hop, url: target, method, headers, body: becomesGet ? null : hop.body }
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function toHeaders(incoming: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one)
  }
  return headers
}
