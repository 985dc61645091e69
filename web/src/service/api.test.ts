import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { addressOf, call } from './api.ts'
import { ApiError } from './errors.ts'

describe('an address', () => {
  test('omits empty values and keeps 0 and false', () => {
    const query = { status: '', cursor: undefined, from: 0, all: false, name: 'a b&c', none: null }
    assert.equal(addressOf('/jobs/', query), '/api/v1/jobs/?from=0&all=false&name=a+b%26c')
  })

  test('outside /api/v1 stays unchanged', () => {
    assert.equal(addressOf('/api/auth/sign-out'), '/api/auth/sign-out')
  })
})

describe('a call', () => {
  const seen: IncomingMessage['headers'][] = []
  const answers: { status: number; body: string }[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers)
    const { status, body } = answers.shift() ?? { status: 200, body: '{}' }
    response.writeHead(status).end(body)
  })
  const browsersFetch = globalThis.fetch
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    // A browser resolves relative addresses; Node does not.
    globalThis.fetch = (path, options) => browsersFetch(`http://127.0.0.1:${port}${path}`, options)
  })
  after(() => {
    globalThis.fetch = browsersFetch
    server.close()
  })

  test('sends the workspace, the request header and JSON', async () => {
    answers.push({ status: 201, body: '{"id":"1"}' })
    assert.deepEqual(await call('POST', '/keys', { workspace: 'w1', body: { name: 'x' } }), { id: '1' })
    const headers = seen.at(-1)
    assert.equal(headers?.['x-workspace'], 'w1')
    assert.equal(headers?.['x-requested-with'], 'millrace')
    assert.equal(headers?.['content-type'], 'application/json')
  })

  test('without a body sends no content type', async () => {
    await call('DELETE', '/keys/1', {})
    assert.equal(seen.at(-1)?.['content-type'], undefined)
    assert.equal(seen.at(-1)?.['x-workspace'], undefined)
  })

  test('returns undefined for an empty response', async () => {
    answers.push({ status: 200, body: '' })
    assert.equal(await call('GET', '/x'), undefined)
  })

  test('throws on an error status and on a response that is not JSON', async () => {
    answers.push(
      { status: 409, body: '{"detail":"taken","code":"name_taken"}' },
      { status: 502, body: '<html>' },
    )
    await assert.rejects(
      call('GET', '/x'),
      (error) => error instanceof ApiError && error.code === 'name_taken',
    )
    await assert.rejects(call('GET', '/x'), (error) => error instanceof ApiError && error.status === 502)
  })

  test('that is aborted does not report a service failure', async () => {
    const controller = new AbortController()
    controller.abort()
    await assert.rejects(call('GET', '/x', { signal: controller.signal }), { name: 'AbortError' })
  })
})
