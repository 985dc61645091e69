import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Help, readHelp } from '../help/documents.ts'
import { framed } from '../help/frame.ts'
import { quotedHtml, renderDocument } from '../help/render.ts'
import { type HelpHit, searchHelp } from '../help/search.ts'
import type { App } from '../http/context.ts'
import { publicPathOf } from '../http/origin.ts'

const TYPES: Record<string, string> = {
  png: 'image/png',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
  sql: 'text/plain; charset=utf-8',
}

const MAX_QUERY = 200

/** The documentation, for everyone and without scripts. */
export function helpRoutes(app: App, { root }: { root?: string } = {}): void {
  const options = { schema: { hide: true } }
  let reading: Promise<Help> | undefined
  const read = () => {
    reading ??= readHelp(root).catch((error) => {
      reading = undefined
      throw error
    })
    return reading
  }
  /** By public path and address, of which there are few. */
  const rendered = new Map<string, string>()

  app.get('/help', options, async (request, reply) => {
    const { q } = request.query as { q?: unknown }
    const query = typeof q === 'string' ? q.slice(0, MAX_QUERY).trim() : ''
    if (query === '') return sendDocument(request, reply, '')
    const hits = searchHelp(await read(), query)
    const content = resultsOf(hits, { query, base: publicPathOf(request) })
    return send(request, reply, { title: query, query, content })
  })

  app.get('/help/*', options, async (request, reply) => {
    const address = (request.params as { '*': string })['*'].replace(/\/$/, '')
    const file = (await read()).files.get(address)
    if (!file) return sendDocument(request, reply, address)
    const type = TYPES[file.split('.').at(-1) ?? ''] ?? 'text/plain; charset=utf-8'
    return reply
      .header('cache-control', 'public, max-age=3600')
      .type(type)
      .send(await readFile(file))
  })

  async function sendDocument(request: FastifyRequest, reply: FastifyReply, address: string) {
    const help = await read()
    const document = help.documents.get(address)
    if (!document) {
      reply.code(404)
      const content = '<h1>No such document</h1>\n<p>Search for it, or choose it from all documents.</p>'
      return send(request, reply, { title: 'No such document', query: '', content })
    }
    const base = publicPathOf(request)
    const key = `${base} ${address}`
    const content = rendered.get(key) ?? renderDocument(help, document, base)
    rendered.set(key, content)
    return send(request, reply, { title: document.title, query: '', content })
  }
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  page: { title: string; query: string; content: string },
): FastifyReply {
  const nonce = randomBytes(16).toString('base64url')
  return reply
    .header('cache-control', 'no-cache')
    .header('content-security-policy', policy(nonce))
    .type('text/html; charset=utf-8')
    .send(framed({ ...page, base: publicPathOf(request), nonce }))
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function resultsOf(hits: HelpHit[], { query, base }: { query: string; base: string }): string {
  const title = `<h1>${hits.length === 0 ? 'Nothing found' : 'Found'} for “${quotedHtml(query)}”</h1>`
  const items = hits.map(({ address, title: page, heading, passage }) => {
    const link = `${base}/help${/^(#|$)/.test(address) ? address : `/${address}`}`
    const name = heading ? `${page}: ${heading}` : page
    return `<li><a href="${quotedHtml(link)}">${quotedHtml(name)}</a><p>${passage}</p></li>`
  })
  return `${title}\n<ul class="hits">\n${items.join('\n')}\n</ul>`
}
