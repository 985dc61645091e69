import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import helmet from '@fastify/helmet'
import fastify from 'fastify'
import type { App } from './context.ts'
import { pageRoutes, type SendPage } from './page.ts'
import { handleUnknownRoutes } from './unknown-routes.ts'

describe('the page', () => {
  let dist: string
  let app: App
  before(async () => {
    dist = await mkdtemp(join(tmpdir(), 'millrace-page-'))
    await mkdir(join(dist, 'assets'))
    await writeFile(join(dist, 'index.de.html'), '<html lang="de">')
    await writeFile(
      join(dist, 'index.en.html'),
      `<meta name="style-nonce" content="%STYLE_NONCE%"><meta name="base-path" content="%BASE_PATH%">%SESSION%
      <script src="./assets/index-abc.js"></script>
      <link href="/start.js" data-screen="start"><link href="/sign-in.js" data-screen="sign-in">`,
    )
    await writeFile(join(dist, 'favicon.svg'), '<svg/>')
    await writeFile(join(dist, 'assets/index-abc.js'), 'plain')
    await writeFile(join(dist, 'assets/index-abc.js.br'), 'small')
    app = await serve(dist)
  })
  after(async () => {
    await app.close()
    await rm(dist, { recursive: true })
  })

  for (const path of [
    '/',
    '/sign-in?return=%2F',
    '/setup',
    '/invitation/x.y-z',
    '/w/1/jobs/2',
    '/keys',
    '/settings',
    '/documents/docs.example/98777',
  ]) {
    test(`is served at ${path}, never cached`, async () => {
      const { statusCode, headers } = await app.inject(path)
      assert.equal(statusCode, 200)
      assert.match(String(headers['content-type']), /^text\/html/)
      assert.equal(headers['cache-control'], 'no-cache')
      assert.equal(headers.etag, undefined)
    })
  }

  test('has the language of the browser, unless the person has chosen another', async () => {
    const german = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.8' }
    for (const [headers, isGerman] of [
      [{}, false],
      [german, true],
      [{ ...german, cookie: 'millrace_language=en' }, false],
    ] as const) {
      const response = await app.inject({ url: '/sign-in', headers })
      assert.equal(response.body === '<html lang="de">', isGerman)
      assert.equal(response.headers.vary, 'Accept-Language, Cookie')
    }
  })

  test('contains the nonce of its style policy, a new one for each request', async () => {
    const nonces = []
    for (const { body, headers } of [await app.inject('/'), await app.inject('/')]) {
      const nonce = /content="([^"]+)"/.exec(body)?.[1]
      const policy = String(headers['content-security-policy'])
      assert.ok(policy.includes(`style-src 'self' 'nonce-${nonce}'`), policy)
      assert.ok(policy.includes("script-src 'self';"), policy)
      assert.doesNotMatch(policy, /unsafe|https?:|\*/)
      nonces.push(nonce)
    }
    assert.notEqual(nonces[0], nonces[1])
  })

  test('has assets that are cached for a year, and compressed if the browser accepts it', async () => {
    const plain = await app.inject('/assets/index-abc.js')
    assert.equal(plain.body, 'plain')
    assert.match(String(plain.headers['cache-control']), /max-age=31536000, immutable/)
    const small = await app.inject({ url: '/assets/index-abc.js', headers: { 'accept-encoding': 'br' } })
    assert.deepEqual([small.body, small.headers['content-encoding']], ['small', 'br'])
  })

  for (const path of [
    '/nowhere',
    '/assets/gone.js',
    '/assets/../index.en.html',
    '/assets/%2e%2e/index.en.html',
    '/wiki',
  ]) {
    test(`is not served at ${path}`, async () => {
      const { statusCode, body } = await app.inject(path)
      assert.equal(statusCode, 404)
      assert.doesNotMatch(body, /style-nonce/)
    })
  }

  test('is a 404 page for browsers at an unknown address, and JSON for programs', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    const page = await app.inject({ url: '/nope?x=1', headers })
    assert.deepEqual([page.statusCode, page.headers['cache-control']], [404, 'no-cache'])
    assert.match(page.body, /style-nonce/)
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
    for (const url of ['/api/v1/nope', '/api/nope', '/assets/nope.js', '/docs/nope', '/mcp/nope']) {
      const { statusCode, body } = await app.inject({ url, headers })
      assert.equal(statusCode, 404)
      assert.equal(JSON.parse(body).code, 'not_found')
    }
    const program = await app.inject({ url: '/nope', headers: { accept: 'application/json' } })
    assert.equal(JSON.parse(program.body).code, 'not_found')
    const post = await app.inject({ url: '/nope', method: 'POST', headers })
    assert.equal(JSON.parse(post.body).code, 'not_found')
  })

  test('contains the session of a signed-in person as data, escaped, and is not stored', async () => {
    const own = await serve(dist, async ({ headers }) =>
      headers.cookie === 'known' ? { name: '</script><b>$&' } : null,
    )
    const known = await own.inject({ url: '/w/1', headers: { cookie: 'known' } })
    assert.equal(known.headers['cache-control'], 'no-store')
    const [, json = ''] =
      /<script type="application\/json" id="session">(.*?)<\/script>/.exec(known.body) ?? []
    assert.deepEqual(JSON.parse(json), { name: '</script><b>$&' })
    assert.match(known.body, /start\.js/)
    assert.doesNotMatch(known.body, /sign-in\.js/)
    for (const request of [{ url: '/w/1' }, { url: '/sign-in', headers: { cookie: 'known' } }]) {
      const { body, headers } = await own.inject(request)
      assert.doesNotMatch(body, /id="session"|start\.js|%SESSION%/)
      assert.match(body, /sign-in\.js/)
      assert.equal(headers['cache-control'], 'no-cache')
    }
    await own.close()
  })

  test('is shown without a session that cannot be read', async () => {
    const own = await serve(dist, async () => Promise.reject(new Error('the database is away')))
    const { statusCode, body } = await own.inject({ url: '/w/1', headers: { cookie: 'known' } })
    assert.equal(statusCode, 200)
    assert.doesNotMatch(body, /id="session"|away/)
    await own.close()
  })

  test('loads the start screen first for a session that comes late', async () => {
    const own = await serve(dist, () => setTimeout(3000, { name: 'Ada' }, { ref: false }))
    const { body } = await own.inject({ url: '/w/1', headers: { cookie: 'known' } })
    assert.match(body, /start\.js/)
    assert.doesNotMatch(body, /sign-in\.js|id="session"/)
    await own.close()
  })

  test('names its files below the path of the public address, and at the root for other hosts', async () => {
    for (const [host, path] of [
      ['tools.example.com', '/millrace'],
      ['tools.example.com:8443', '/millrace'],
      ['127.0.0.1:8080', ''],
    ]) {
      const { body } = await app.inject({ url: '/w/1', headers: { host } })
      assert.ok(body.includes(`<script src="${path}/assets/index-abc.js">`), body)
      assert.ok(body.includes(`<meta name="base-path" content="${path}">`), body)
    }
  })

  test('explains how to build it if it is missing', async () => {
    const unbuilt = await serve(join(dist, 'nothing-here'))
    const { statusCode, body } = await unbuilt.inject('/')
    assert.equal(statusCode, 503)
    assert.match(body, /npm run build:web/)
    await unbuilt.close()
  })
})

type PageOptions = NonNullable<Parameters<typeof pageRoutes>[1]>

async function serve(dist: string, sessionOf?: NonNullable<PageOptions['sessionOf']>): Promise<App> {
  // The page does not use the types of API routes.
  const app = fastify() as unknown as App
  app.decorate('publicUrls', [new URL('https://tools.example.com/millrace')])
  let sendPage: SendPage | null = null
  handleUnknownRoutes(app, () => sendPage)
  await app.register(helmet)
  sendPage = await pageRoutes(app, { dist, ...(sessionOf ? { sessionOf } : {}) })
  return app
}
