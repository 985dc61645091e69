import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './context.ts'
import { publicPathOf } from './origin.ts'
import { pageLanguage } from './page-language.ts'

const DIST = join(import.meta.dirname, '../../../web/dist')

/** Paths that serve the page; for browsers, everything else is the page with a 404. */
const PAGE_PATHS = [
  '/',
  '/setup',
  '/sign-in',
  '/invitation/*',
  '/reset-password/*',
  '/keys',
  '/settings',
  '/documents/*',
  '/w/*',
]

/** The answer of `GET /session`, or null without one. */
type SessionOf = (request: FastifyRequest, reply: FastifyReply) => Promise<object | null>

/** Sends the page, for addresses that the service does not have. */
export type SendPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Without a built page the service still runs. */
export async function pageRoutes(
  app: App,
  { dist = DIST, sessionOf }: { dist?: string; sessionOf?: SessionOf } = {},
): Promise<SendPage | null> {
  const pages = await pagesIn(dist)
  const isBuilt = pages.size > 0
  if (!isBuilt) app.log.warn('the web page is not built; run npm run build:web')
  const options = { schema: { hide: true } }
  for (const path of PAGE_PATHS) {
    app.get(path, options, async (request, reply) => (isBuilt ? send(request, reply) : notBuilt(reply)))
  }
  if (!isBuilt) return null

  /** Never cached, because it contains the file names of this version, the nonce and the session. */
  async function send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const nonce = randomBytes(16).toString('base64url')
    const session = await embeddedSession(sessionOf, request, reply)
    const html = pages.get(pageLanguage(request.headers, [...pages.keys()])) ?? ''
    const text = preloading(html, session === null ? 'sign-in' : 'start')
      .replaceAll('="./assets/', `="${publicPathOf(request)}/assets/`)
      .replace('%BASE_PATH%', publicPathOf(request))
      .replace('%STYLE_NONCE%', nonce)
      // A function, because a name may contain `$&`.
      .replace('%SESSION%', () => sessionBlock(session))
    return reply
      .header('cache-control', session ? 'no-store' : 'no-cache')
      .header('vary', 'Accept-Language, Cookie')
      .header('content-security-policy', policy(nonce))
      .type('text/html; charset=utf-8')
      .send(text)
  }

  await app.register(fastifyStatic, {
    root: join(dist, 'assets'),
    prefix: '/assets/',
    // File names contain a hash of the content.
    immutable: true,
    maxAge: '365d',
    preCompressed: true,
    index: false,
    decorateReply: false,
    schemaHide: true,
  })
  const icon = await readFile(join(dist, 'favicon.svg'))
  app.get('/favicon.svg', options, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(icon),
  )
  return send
}

/** `index.de.html` and so on, by language; empty if the page is not built. */
async function pagesIn(dist: string): Promise<Map<string, string>> {
  const names = await readdir(dist).catch(() => [])
  const pages = names.flatMap((name) => {
    const language = /^index\.([a-z]+)\.html$/.exec(name)?.[1]
    return language ? [{ name, language }] : []
  })
  const html = await Promise.all(pages.map(({ name }) => readFile(join(dist, name), 'utf8')))
  return new Map(pages.map(({ language }, index) => [language, html[index] ?? '']))
}

const BEFORE_SIGN_IN = /^\/(setup|sign-in|invitation|reset-password)\b/
const SESSION_MS = 1000

/** The session in the page saves a round trip. If it comes late (undefined), the page requests it. */
async function embeddedSession(
  sessionOf: SessionOf | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<object | null | undefined> {
  if (!sessionOf || !request.headers.cookie || BEFORE_SIGN_IN.test(request.url)) return null
  const late = setTimeout(SESSION_MS, undefined, { ref: false })
  return Promise.race([sessionOf(request, reply).catch(() => undefined), late])
}

/** Keeps the preload links of the screen that is shown first. */
function preloading(html: string, screen: 'start' | 'sign-in'): string {
  const other = screen === 'start' ? 'sign-in' : 'start'
  return html.replace(new RegExp(`\\s*<link [^>]*data-screen="${other}"[^>]*>`, 'g'), '')
}

/** A data block: not a script, so the policy allows it. */
function sessionBlock(session: object | null | undefined): string {
  if (!session) return ''
  const json = JSON.stringify(session).replaceAll('<', '\\u003c')
  return `<script type="application/json" id="session">${json}</script>`
}

/** Mantine writes <style> elements at run time, which carry the nonce. Pictures of documents are data: URLs. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function notBuilt(reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .type('text/plain; charset=utf-8')
    .send(
      'The web page is not built. Run `npm run build:web` and start the service again. The API is at /docs.\n',
    )
}
