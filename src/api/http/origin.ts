import type { FastifyReply, FastifyRequest } from 'fastify'
import { ADDRESS_HEADER } from '../../accounts/identity.ts'
import { AppError } from '../../errors.ts'

/** The service's address in the browser; other sites cannot forge Host and Origin. */
function originOf({ headers, protocol }: FastifyRequest): string {
  const host = headers.host ?? 'localhost'
  const isHttps = protocol === 'https' || headers.origin === `https://${host}`
  const origin = URL.parse(`${isHttps ? 'https' : 'http'}://${host}`)
  if (origin?.pathname !== '/' || origin.username || origin.search) {
    throw new AppError('not_found', `there is nothing at the host ${JSON.stringify(host.slice(0, 100))}`)
  }
  return origin.origin
}

/** The path that a proxy removes, such as `/millrace`; empty without one. */
export function publicPathOf({ headers: { host = '' }, server }: FastifyRequest): string {
  const name = URL.parse(`http://${host}`)?.hostname
  // The name decides, because a proxy may use another port or scheme.
  return server.publicUrls.find((url) => url.hostname === name)?.pathname.replace(/\/$/, '') ?? ''
}

/** The address of the page in the browser, without a final slash. */
export function pageAddressOf(request: FastifyRequest): string {
  return originOf(request) + publicPathOf(request)
}

/** Other sites can send our cookie, but not this header without CORS, which we refuse. */
export function requireOwnPage(request: FastifyRequest): void {
  refuseOtherSites(request)
  const { headers, method } = request
  if (method === 'GET' || method === 'HEAD') return
  if (headers['x-workspace'] || headers['x-requested-with'] === 'millrace') return
  throw new AppError('forbidden', 'a request by session needs the header X-Workspace', {
    fix: 'Without a workspace, send X-Requested-With: millrace',
  })
}

/** Protects JSON requests without a cookie, which other sites cannot send without CORS. */
export function refuseOtherSites({ headers }: FastifyRequest): void {
  if (headers.origin === undefined || isOwnOrigin(headers.origin, headers.host)) return
  throw new AppError('forbidden', 'this request comes from another site')
}

function isOwnOrigin(origin: string, host: string | undefined): boolean {
  const from = URL.parse(origin)
  return from !== null && host !== undefined && from.host === URL.parse(`${from.protocol}//${host}`)?.host
}

/** Origins are checked before; the library requires one, which programs do not send. */
export function toFetchRequest(request: FastifyRequest, path: string, body?: unknown): Request {
  const headers = new Headers({ origin: originOf(request), [ADDRESS_HEADER]: request.ip })
  for (const name of ['cookie', 'user-agent']) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  if (body !== undefined) headers.set('content-type', 'application/json')
  return new Request(pageAddressOf(request) + path, {
    method: request.method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** HttpOnly and SameSite=Lax come from the library; https adds Secure. */
export function sendCookies(request: FastifyRequest, reply: FastifyReply, cookies: string[]): void {
  const secure = originOf(request).startsWith('https:') ? '; Secure' : ''
  // Other services of the host must not get the session.
  const path = publicPathOf(request)
  const limited = (cookie: string) => (path ? cookie.replace(/; Path=\/(?=;|$)/i, `; Path=${path}`) : cookie)
  for (const cookie of cookies) reply.header('set-cookie', limited(cookie) + secure)
}
