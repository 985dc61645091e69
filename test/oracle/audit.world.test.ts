import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { accounts } from '../world/wiki/accounts.ts'
import { startWiki, type Wiki } from '../world/wiki/start.ts'

const { crawler, powerless } = accounts

describe('the audit', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 3, pages: 120, spaces: 4, people: 20, groups: 5 })
  })
  after(() => wiki.stop())

  test('finds that the listing and the wiki agree, and never prints the token', async () => {
    const { code, out, err } = await audit(['--url', wiki.siteUrl, '--sample', '100'], crawler)
    assert.equal(code, 0, out + err)
    assert.match(out, /^100 pairs, 400 answers compared: 0 too many, 0 too few, 0 not granted/)
    assert.ok(!(out + err).includes(crawler.apiToken))
  })

  test('finds every grant that the wiki does not confirm', async () => {
    const liar = await startLiar(wiki, { hasPermission: false, errors: [] })
    const { code, out } = await audit(['--url', liar.url, '--sample', '40'], crawler)
    liar.server.close()
    assert.equal(code, 1, out)
    assert.match(out, /^too many: \S+ may not read page \d+ ".*", by the lists$/m)
    assert.match(out, /^too many: \S+ may not read page \d+ ".*", by the clauses$/m)
    assert.match(out, /, 0 too few, /)
  })

  test('finds every grant that the wiki gives and the listing does not', async () => {
    const liar = await startLiar(wiki, { hasPermission: true, errors: [] })
    const { code, out } = await audit(['--url', liar.url, '--sample', '40'], crawler)
    liar.server.close()
    assert.equal(code, 1, out)
    assert.match(out, /^too few: \S+ may delete page \d+ /m)
    assert.match(out, / 0 too many, /)
  })

  test('tells a shortfall for want of proof from a mistake', async () => {
    const { code, out, err } = await audit(['--url', wiki.siteUrl, '--sample', '40'], powerless)
    assert.equal(code, 0, out + err)
    assert.match(out, /^unproved: .*\(.+\)$/m)
    assert.match(out, /0 too many, 0 too few, [1-9]\d* not granted for want of proof/)
  })

  test('says in a line what is missing or what was refused', async () => {
    const nothing = await audit([], { email: '', apiToken: '' })
    assert.deepEqual([nothing.code, nothing.out], [2, ''])
    assert.match(nothing.err, /url, username and token are needed/)
    const secret = 'not-the-token-of-anybody'
    const refused = await audit(['--url', wiki.siteUrl], { email: crawler.email, apiToken: secret })
    assert.equal(refused.code, 3)
    assert.ok(refused.err.startsWith('audit: ') && !refused.err.includes(secret), refused.err)
  })
})

type Ended = { code: number | null; out: string; err: string }

/** As an operator runs it, with the token in the environment. */
async function audit(args: string[], as: { email: string; apiToken: string }): Promise<Ended> {
  const env = { ...process.env, MILLRACE_AUDIT_USERNAME: as.email, MILLRACE_AUDIT_TOKEN: as.apiToken }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'audit.ts'), ...args], { env })
  const ended: Ended = { code: null, out: '', err: '' }
  child.stdout.on('data', (data) => {
    ended.out += data
  })
  child.stderr.on('data', (data) => {
    ended.err += data
  })
  const [code] = await once(child, 'close')
  return { ...ended, code }
}

/** The wiki, but for its answer to who may do what. */
async function startLiar(wiki: Wiki, answer: object): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    if (request.url?.endsWith('/permission/check')) {
      request.resume()
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
      return
    }
    const { authorization = '' } = request.headers
    const { method = 'GET' } = request
    const sent = method === 'GET' ? {} : { body: await text(request) }
    const headers = { authorization, 'content-type': 'application/json' }
    const passed = await fetch(`${wiki.siteUrl}${request.url}`, { method, headers, ...sent })
    response.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? 'text/plain' })
    response.end(await passed.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}
