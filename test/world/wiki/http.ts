import type { IncomingHttpHeaders } from 'node:http'
import type { FileBody } from './model/file-body.ts'
import type { ApiAccount, World } from './model/model.ts'

/** One request as a handler sees it. */
export interface ApiCall {
  world: World
  account: ApiAccount
  method: string
  /** Original path and query, without the gateway prefix. */
  url: string
  query: URLSearchParams
  params: Record<string, string>
  headers: IncomingHttpHeaders
  body: string
  urls: SiteUrls
}

/** Addresses of the three listeners. */
export interface SiteUrls {
  cloudUrl: string
  dataCenterUrl: string
  mediaUrl: string
}

export interface WikiResponse {
  status: number
  headers?: Record<string, string>
  /** Strings and Buffers are sent unchanged, other values as JSON. */
  body?: unknown
  /** Instead of a body: a file, streamed at the client's pace. */
  file?: FileBody
}

export interface Route {
  method: string
  pattern: string
  matcher: RegExp
  /** Scope required of a scoped token; '' for none. */
  scope: string
  handle: (call: ApiCall) => WikiResponse
}

/** `{id}` in a pattern matches one path segment. */
export function route(
  signature: `${'GET' | 'POST'} ${string}`,
  scope: string,
  handle: (call: ApiCall) => WikiResponse,
): Route {
  const [method = '', pattern = ''] = signature.split(' ')
  const source = pattern.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return { method, pattern, scope, matcher: new RegExp(`^${source}/?$`), handle }
}

export function findRoute(routes: Route[], method: string, path: string) {
  for (const candidate of routes) {
    if (candidate.method !== method) continue
    const match = candidate.matcher.exec(path)
    if (match === null) continue
    const params: Record<string, string> = {}
    for (const [name, value] of Object.entries(match.groups ?? {})) params[name] = decode(value)
    return { route: candidate, params }
  }
  return undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Thrown by handlers; each API formats it differently. */
export class WikiError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Record<string, string>

  constructor(
    status: number,
    message: string,
    more: { code?: string; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.status = status
    this.code = more.code ?? defaultCodes[status] ?? 'ERROR'
    this.headers = more.headers ?? {}
  }
}

const defaultCodes: Record<number, string> = {
  400: 'INVALID_REQUEST_PARAMETER',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  410: 'GONE',
}

export const ok = (body: unknown, headers: Record<string, string> = {}): WikiResponse => ({
  status: 200,
  headers,
  body,
})

/** v2 responds with `{errors:[…]}`. */
export const v2Error = (refusal: WikiError): WikiResponse => ({
  status: refusal.status,
  headers: refusal.headers,
  body: { errors: [{ status: refusal.status, code: refusal.code, title: refusal.message, detail: null }] },
})

/** v1 and Data Center respond with `{statusCode, data, message}`. */
export const v1Error = (refusal: WikiError): WikiResponse => ({
  status: refusal.status,
  headers: refusal.headers,
  body: {
    statusCode: refusal.status,
    data: {
      authorized: refusal.status !== 401 && refusal.status !== 403 && refusal.status !== 404,
      valid: refusal.status !== 400,
      allowedInReadOnlyMode: true,
      errors: [{ message: { key: refusal.message, args: [] } }],
      successful: false,
    },
    message: refusal.message,
  },
})

export const gatewayError = (refusal: WikiError): WikiResponse => ({
  status: refusal.status,
  headers: refusal.headers,
  body: { code: refusal.status, message: refusal.message },
})
