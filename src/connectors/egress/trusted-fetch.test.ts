import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { trustedFetch } from './trusted-fetch.ts'

describe('the client of model endpoints', () => {
  const connections = new Set<unknown>()
  const server = createServer((request, response) => {
    if (request.url === '/moved') {
      response.writeHead(307, { location: 'http://127.0.0.1:9/elsewhere' }).end('gone there')
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      const { authorization } = request.headers
      response.end(gzipSync(JSON.stringify({ authorization, body: Buffer.concat(chunks).toString() })))
    })
  }).on('connection', (socket) => connections.add(socket))
  let origin = ''
  let way: ReturnType<typeof trustedFetch>
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    way = trustedFetch([origin])
  })
  after(async () => {
    await way.close()
    server.close()
  })

  test('reaches configured origins, private and without https, over one connection', async () => {
    for (const body of ['{"a":"ü"}', new TextEncoder().encode('{"a":"ü"}')]) {
      const headers = new Headers({ authorization: 'Bearer key' })
      const answer = await way.fetch(`${origin}/v1/embeddings`, { method: 'POST', headers, body })
      assert.equal(answer.status, 200)
      assert.deepEqual(await answer.json(), { authorization: 'Bearer key', body: '{"a":"ü"}' })
    }
    assert.equal(connections.size, 1)
  })

  test('reaches nothing else, neither a public host nor another port', async () => {
    for (const url of [
      'https://models.example/v1',
      'http://127.0.0.1:9/',
      origin.replace('http:', 'https:'),
    ]) {
      await assert.rejects(way.fetch(url), { code: 'egress_refused', message: /no model endpoint/ }, url)
    }
  })

  test('follows no redirect', async () => {
    const answer = await way.fetch(`${origin}/moved`, { method: 'POST', body: '{}' })
    assert.equal(answer.status, 307)
  })

  test('refuses names that resolve to metadata services', async () => {
    const named = trustedFetch(['http://models.corp.example'], { resolve: async () => ['169.254.169.254'] })
    await assert.rejects(named.fetch('http://models.corp.example/v1'), { code: 'egress_refused' })
    await named.close()
  })
})
