import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import helmet from '@fastify/helmet'
import fastify from 'fastify'
import type { App } from './context.ts'
import { page } from './page.ts'
import { handleUnknownRoutes } from './unknown-routes.ts'

describe('the page', () => {
  let dist: string
  let app: App
  before(async () => {
    dist = await mkdtemp(join(tmpdir(), 'millrace-page-'))
    await mkdir(join(dist, 'assets'))
    await writeFile(join(dist, 'index.html'), '<meta name="style-nonce" content="%STYLE_NONCE%">')
    await writeFile(join(dist, 'favicon.svg'), '<svg/>')
    await writeFile(join(dist, 'assets/index-abc.js'), 'plain')
    await writeFile(join(dist, 'assets/index-abc.js.br'), 'small')
    app = await serving(dist)
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
  ]) {
    test(`is served at ${path}, never cached`, async () => {
      const { statusCode, headers } = await app.inject(path)
      assert.equal(statusCode, 200)
      assert.match(String(headers['content-type']), /^text\/html/)
      assert.equal(headers['cache-control'], 'no-cache')
      assert.equal(headers.etag, undefined)
    })
  }

  test('carries the nonce of its style policy, a new one each time', async () => {
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

  test('has files that are cached forever, compressed if the browser accepts it', async () => {
    const plain = await app.inject('/assets/index-abc.js')
    assert.equal(plain.body, 'plain')
    assert.match(String(plain.headers['cache-control']), /max-age=31536000, immutable/)
    const small = await app.inject({ url: '/assets/index-abc.js', headers: { 'accept-encoding': 'br' } })
    assert.deepEqual([small.body, small.headers['content-encoding']], ['small', 'br'])
  })

  for (const path of [
    '/nowhere',
    '/assets/gone.js',
    '/assets/../index.html',
    '/assets/%2e%2e/index.html',
    '/wiki',
  ]) {
    test(`is not served at ${path}`, async () => {
      const { statusCode, body } = await app.inject(path)
      assert.equal(statusCode, 404)
      assert.doesNotMatch(body, /style-nonce/)
    })
  }

  test('explains how to build it if it is missing', async () => {
    const bare = await serving(join(dist, 'nothing-here'))
    const { statusCode, body } = await bare.inject('/')
    assert.equal(statusCode, 503)
    assert.match(body, /npm run build:web/)
    await bare.close()
  })
})

async function serving(dist: string): Promise<App> {
  // The page uses nothing of the types that the API's routes are described with.
  const app = fastify() as unknown as App
  handleUnknownRoutes(app)
  await app.register(helmet)
  await page(app, dist)
  return app
}
