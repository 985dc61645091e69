import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import helmet from '@fastify/helmet'
import fastify from 'fastify'
import type { App } from '../http/context.ts'
import { handleUnknownRoutes } from '../http/unknown-routes.ts'
import { helpRoutes } from '../routes/help.ts'

async function serve(root?: string): Promise<App> {
  const app = fastify({ routerOptions: { ignoreTrailingSlash: true } }) as unknown as App
  app.decorate('publicUrls', [new URL('https://proxy.example/millrace')])
  handleUnknownRoutes(app)
  await app.register(helmet)
  app.get('/', async () => 'the page')
  app.get('/favicon.svg', async () => '<svg/>')
  app.get('/openapi.json', async () => ({}))
  helpRoutes(app, root ? { root } : {})
  await app.ready()
  return app
}

const app = await serve()
after(() => app.close())
const get = (url: string, host = 'localhost') =>
  app.inject({ method: 'GET', url, headers: { host, accept: 'text/html' } })
const addressesIn = (html: string): string[] =>
  [...html.matchAll(/ (?:href|src|action)="([^"]*)"/g)].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  )

describe('the help', () => {
  test('it shows all documents, and each of them, without credentials', async () => {
    const list = await get('/help')
    assert.equal(list.statusCode, 200)
    assert.match(list.body, /<title>Documentation · Millrace help<\/title>/)
    const page = await get('/help/connectors/wiki')
    assert.match(page.body, /<h2 id="settings">Settings<\/h2>/)
    assert.match(page.body, /<code>max_num_of_spaces<\/code>/)
  })

  test('it finds everything that its pages link to, with the heading', async () => {
    const pages = new Map<string, string>()
    const waiting = ['/help']
    const broken: string[] = []
    for (const path of waiting) {
      const { statusCode, body, headers } = await get(path)
      if (statusCode !== 200) broken.push(path)
      pages.set(path, String(headers['content-type']).startsWith('text/html') ? body : '')
      for (const address of addressesIn(pages.get(path) ?? '').filter((each) => each.startsWith('/'))) {
        const [next = ''] = address.split('#')
        if (!waiting.includes(next)) waiting.push(next)
      }
    }
    for (const [path, body] of pages)
      for (const address of addressesIn(body)) {
        const [target, anchor] = address.split('#')
        const text = target === '' ? body : pages.get(target ?? '')
        if (anchor && text && !text.includes(`id="${anchor}"`)) broken.push(`${path} → ${address}`)
      }
    assert.deepEqual(broken, [])
    assert.ok(pages.size > 60, `${pages.size} pages`)
  })

  test('it works below the path of a proxy', async () => {
    for (const path of ['/help', '/help/keys', '/help?q=vectors']) {
      const { body } = await get(path, 'proxy.example')
      const inside = addressesIn(body).filter((address) => !/^(https?:|#)/.test(address))
      assert.ok(inside.length > 4)
      assert.deepEqual(
        inside.filter((address) => !address.startsWith('/millrace/')),
        [],
      )
    }
  })

  test('it allows no script and only its own style', async () => {
    const { body, headers } = await get('/help/search')
    const policy = String(headers['content-security-policy'])
    const [, nonce = ''] = /style-src 'nonce-([\w-]+)'/.exec(policy) ?? []
    assert.ok(nonce.length > 10 && body.includes(`<style nonce="${nonce}">`))
    assert.match(policy, /^default-src 'none';/)
    assert.doesNotMatch(policy, /script-src|unsafe/)
    assert.doesNotMatch(body, /<script|style="| on\w+="/)
  })

  test('it serves pictures and files of the documentation, and nothing else', async () => {
    assert.equal((await get('/help/page/lab.png')).headers['content-type'], 'image/png')
    assert.match((await get('/help/index-bodies/elasticsearch.json')).body, /"mappings"/)
    for (const path of ['make.ts', 'none', '..%2fpackage.json', '%2e%2e/package.json', 'constructor'])
      assert.equal((await get(`/help/${path}`)).statusCode, 404, path)
  })

  test('it finds words in titles and text, with the part of the page', async () => {
    const { body } = await get('/help?q=max_num_of_spaces')
    assert.match(body, /<a href="\/help\/connectors\/wiki#settings">The wiki source: Settings<\/a>/)
    assert.match(body, /<mark>max_num_of_spaces<\/mark>/)
    const titles = [...(await get('/help?q=master%20key')).body.matchAll(/<li><a href="([^"]+)"/g)]
    assert.match(titles[0]?.[1] ?? '', /^\/help\/master-key/)
    assert.match((await get('/help?q=xyzzyplugh')).body, /Nothing found/)
  })

  test('it shows a query as text', async () => {
    for (const query of [
      '<script>alert(1)</script>',
      '"><img src=x>',
      '.*+?^$()|[]{}\\',
      "'",
      '😀'.repeat(200),
    ]) {
      const { statusCode, body } = await get(`/help?q=${encodeURIComponent(query)}`)
      assert.equal(statusCode, 200)
      assert.doesNotMatch(body, /<script|<img src=x/)
    }
    assert.equal((await get('/help?q=a&q=b')).statusCode, 200)
  })

  test('it shows HTML in a document as text, and links only what it serves', async () => {
    const root = await mkdtemp(join(tmpdir(), 'millrace-help-'))
    try {
      await mkdir(join(root, 'docs'))
      const text = [
        '# A & B',
        '<script>alert(1)</script>',
        'a <b onclick="x()">b</b> <a id="here"></a>',
        '[x](javascript:alert(1)) [y](../src/main.ts) [z](https://a.example/?a=1&b="2) ![p](data:image/png;base64,AA)',
      ]
      await writeFile(join(root, 'docs/README.md'), text.join('\n\n'))
      const other = await serve(root)
      const { body } = await other.inject({ method: 'GET', url: '/help' })
      await other.close()
      const content = body.slice(body.indexOf('<main>'))
      assert.match(content, /<h1 id="a--b">A &amp; B<\/h1>/)
      assert.match(content, /&lt;script&gt;.*&lt;b onclick=&quot;x\(\)&quot;&gt;.*<a id="here">/s)
      assert.doesNotMatch(content, /javascript:|href="[^"]*main\.ts|<img|data:/)
    } finally {
      await rm(root, { recursive: true })
    }
  })
})
