import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply } from 'fastify'
import type { App } from './context.ts'

const DIST = join(import.meta.dirname, '../../web/dist')

/** Paths that serve the page; everything else is a 404. */
const ADDRESSES = [
  '/',
  '/setup',
  '/sign-in',
  '/invitation/*',
  '/reset-password/*',
  '/keys',
  '/settings',
  '/w/*',
]

/** Without a built page the service still runs. */
export async function page(app: App, dist = DIST): Promise<void> {
  const html = await readFile(join(dist, 'index.html'), 'utf8').catch(() => null)
  if (html === null) app.log.warn('the web page is not built; run npm run build:web')
  const options = { schema: { hide: true } }
  for (const address of ADDRESSES) {
    app.get(address, options, async (_request, reply) =>
      html === null ? notBuilt(reply) : send(reply, html),
    )
  }
  if (html === null) return

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
}

/** Never cached, because it contains the file names of this version and the nonce. */
function send(reply: FastifyReply, html: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64url')
  return reply
    .header('cache-control', 'no-cache')
    .header('content-security-policy', policy(nonce))
    .type('text/html; charset=utf-8')
    .send(html.replace('%STYLE_NONCE%', nonce))
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
