import type { FastifyReply, FastifyRequest } from 'fastify'
import { ADDRESS_HEADER } from '../accounts/identity.ts'
import { AppError } from '../errors.ts'

/**
 * Our own address as the browser sees it. A browser sends the host it asked for and, with whatever can change
 * something, where the page came from; no other site can make it send anything else. https is what a proxy that we
 * trust says, or the page's own origin.
 */
export function originOf({ headers, protocol }: FastifyRequest): string {
  const host = headers.host ?? 'localhost'
  const isHttps = protocol === 'https' || headers.origin === `https://${host}`
  const origin = URL.parse(`${isHttps ? 'https' : 'http'}://${host}`)
  if (origin?.pathname !== '/' || origin.username || origin.search) {
    throw new AppError('not_found', `there is nothing at the host ${JSON.stringify(host.slice(0, 100))}`)
  }
  return origin.origin
}

/**
 * A cookie goes along with requests that other sites make, so that a request by cookie has to show that our own page
 * made it: by a header that no other site can send without asking us first, which we never allow.
 */
export function refuseForeign(request: FastifyRequest): void {
  refuseOtherSites(request)
  const { headers, method } = request
  if (method === 'GET' || method === 'HEAD') return
  if (headers['x-workspace'] || headers['x-requested-with'] === 'millrace') return
  throw new AppError('forbidden', 'a request by session needs the header X-Workspace', {
    fix: 'Or send X-Requested-With: millrace where there is no workspace',
  })
}

/** For requests that carry JSON and need no cookie: other sites cannot send those unasked either. */
export function refuseOtherSites({ headers }: FastifyRequest): void {
  if (headers.origin === undefined || isOwn(headers.origin, headers.host)) return
  throw new AppError('forbidden', 'this request comes from another site')
}

function isOwn(origin: string, host: string | undefined): boolean {
  const from = URL.parse(origin)
  return from !== null && host !== undefined && from.host === URL.parse(`${from.protocol}//${host}`)?.host
}

/**
 * The request as the identity library takes it. Where it came from has been looked at by then; the library looks
 * again, and would not take a program that sends no origin, as only browsers do.
 */
export function toFetchRequest(request: FastifyRequest, path: string, body?: unknown): Request {
  const headers = new Headers({ origin: originOf(request), [ADDRESS_HEADER]: request.ip })
  for (const name of ['cookie', 'user-agent']) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  if (body !== undefined) headers.set('content-type', 'application/json')
  return new Request(originOf(request) + path, {
    method: request.method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** Cookies as the library made them: HttpOnly and SameSite=Lax. Over https they never leave it. */
export function sendCookies(request: FastifyRequest, reply: FastifyReply, cookies: string[]): void {
  const secure = originOf(request).startsWith('https:') ? '; Secure' : ''
  for (const cookie of cookies) reply.header('set-cookie', cookie + secure)
}
