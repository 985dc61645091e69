import { MillraceError } from './errors.ts'
import { delayMs, isRetryable, pause, RETRY_DEFAULTS, type RetryOptions, retryAfterOf } from './retry.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export type TransportOptions = {
  /** The address of the service, such as `https://millrace.acme.example`; empty for the origin of a page. */
  url: string
  /** An API key or a personal token. */
  key?: string | undefined
  /** A JWT of the identity provider, or a function that returns a current one. */
  personToken?: string | (() => string | Promise<string>) | undefined
  /** Sent with every request. */
  headers?: Record<string, string> | undefined
  /** `same-origin` sends the session cookie of a page. */
  credentials?: 'omit' | 'same-origin' | 'include' | undefined
  fetch?: Fetch | undefined
  retry?: Partial<RetryOptions> | undefined
}

type QueryValue = string | number | boolean | null | undefined
/** A list is sent as a repeated parameter. */
export type QueryValues = Record<string, QueryValue | QueryValue[]>

export type SendOptions = {
  query?: QueryValues | undefined
  /** A Blob and a form are sent unchanged, anything else as JSON. */
  body?: unknown
  headers?: Record<string, string> | undefined
  signal?: AbortSignal | undefined
  /** Whether a repeated request changes nothing; by default for GET and HEAD. */
  isSafe?: boolean | undefined
}

/** Sends a request. Throws a MillraceError unless the response is successful. */
export type Send = (method: string, path: string, options?: SendOptions) => Promise<Response>

/** Safe requests are retried after 429, 502, 503, 504 and connection errors. */
export function createTransport(options: TransportOptions): Send {
  const retry = { ...RETRY_DEFAULTS, ...options.retry }
  // Called on globalThis, because browsers refuse another receiver.
  const fetch = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init))

  async function attempt(method: string, path: string, sending: SendOptions): Promise<Response> {
    const { query, body, signal } = sending
    const init: RequestInit = {
      method,
      // Another host would get the person token.
      redirect: 'manual',
      headers: { ...(await headersOf(options)), ...contentType(body), ...sending.headers },
      ...(options.credentials ? { credentials: options.credentials } : {}),
      ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }
    const response = await fetch(addressOf(options.url, path, query), init).catch((cause: unknown) => {
      signal?.throwIfAborted()
      throw new MillraceError(`${method} ${path}`, { status: 0, cause })
    })
    if (response.ok) return response
    throw new MillraceError(`${method} ${path}`, {
      status: response.status,
      body: parse(await response.text().catch(() => '')),
      retryAfter: retryAfterOf(response.headers.get('retry-after')),
    })
  }

  return async (method, path, sending = {}) => {
    const isSafe = sending.isSafe ?? (method === 'GET' || method === 'HEAD')
    for (let count = 0; ; count++) {
      try {
        return await attempt(method, path, sending)
      } catch (error) {
        const mayRetry = isSafe && count < retry.retries && error instanceof MillraceError
        if (!mayRetry || !isRetryable(error.status, error.body)) throw error
        if ((error.retryAfter ?? 0) * 1000 > retry.maxRetryAfterMs) throw error
        await pause(delayMs(count, error.retryAfter, retry), sending.signal)
      }
    }
  }
}

/** Query values that are null, undefined or empty are left out. */
export function addressOf(base: string, path: string, query: QueryValues = {}): string {
  const search = new URLSearchParams()
  for (const [name, given] of Object.entries(query))
    for (const value of [given].flat())
      if (value !== undefined && value !== null && value !== '') search.append(name, String(value))
  const text = search.toString()
  return `${base.replace(/\/+$/, '')}${path}${text ? `?${text}` : ''}`
}

/** The JSON of a response, or undefined. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function headersOf({ key, personToken, headers }: TransportOptions): Promise<Record<string, string>> {
  const token = typeof personToken === 'function' ? await personToken() : personToken
  return {
    accept: 'application/json',
    ...(key ? { authorization: `Bearer ${key}` } : {}),
    ...(token ? { 'x-person-token': token } : {}),
    ...headers,
  }
}

function contentType(body: unknown): Record<string, string> {
  // A form sets its own type, with its boundary.
  if (body === undefined || body instanceof FormData) return {}
  return { 'content-type': body instanceof Blob ? 'application/octet-stream' : 'application/json' }
}

function isRaw(body: unknown): body is Blob | FormData {
  return body instanceof Blob || body instanceof FormData
}
