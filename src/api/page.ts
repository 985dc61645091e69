import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply } from 'fastify'
import type { App } from './context.ts'

const DIST = join(import.meta.dirname, '../../web/dist')

/** The page's own addresses: each is answered with the page, which then shows the screen. All else stays a 404. */
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

/** Serves the built web page. Without one the service runs all the same, and says how to get it. */
export async function page(app: App, dist = DIST): Promise<void> {
  const html = await readFile(join(dist, 'index.html'), 'utf8').catch(() => null)
  if (html === null) app.log.warn('the web page is not built; npm run build:web makes it')
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
    // A name holds the hash of what is in the file, so it never has to be asked for again.
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

/** Never from a cache unasked: it names the files of the version that runs, and the word of its own policy. */
function send(reply: FastifyReply, html: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64url')
  return reply
    .header('cache-control', 'no-cache')
    .header('content-security-policy', policy(nonce))
    .type('text/html; charset=utf-8')
    .send(html.replace('%STYLE_NONCE%', nonce))
}

/**
 * Nothing runs, loads or is framed but what this service serves. Mantine writes its colours and the rules of
 * responsive properties into <style> elements while it runs; they carry the nonce, so that no other style needs to
 * be allowed. Pictures out of documents come as data: addresses.
 */
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
