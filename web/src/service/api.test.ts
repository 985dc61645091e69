import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { addressOf, call, callAll } from './api.ts'
import { currentConnection } from './connection.ts'
import {
  isSessionEnded,
  markSignedIn,
  markSignedOut,
  onSessionChange,
  resumeSession,
} from './ended-session.ts'
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
  const requestHeaders: IncomingMessage['headers'][] = []
  const paths: (string | undefined)[] = []
  const responses: { status: number; body: string; next?: string }[] = []
  const server = createServer((request, response) => {
    requestHeaders.push(request.headers)
    paths.push(request.url)
    const { status, body, next } = responses.shift() ?? { status: 200, body: '{}' }
    response.writeHead(status, next ? { 'x-next-cursor': next } : {}).end(body)
  })
  const originalFetch = globalThis.fetch
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    // A browser resolves relative addresses; Node does not.
    globalThis.fetch = (path, options) => originalFetch(`http://127.0.0.1:${port}${path}`, options)
  })
  after(() => {
    globalThis.fetch = originalFetch
    server.close()
  })

  test('sends the workspace, the request header and JSON', async () => {
    responses.push({ status: 201, body: '{"id":"1"}' })
    assert.deepEqual(await call('POST', '/keys', { workspace: 'w1', body: { name: 'x' } }), { id: '1' })
    const headers = requestHeaders.at(-1)
    assert.equal(headers?.['x-workspace'], 'w1')
    assert.equal(headers?.['x-requested-with'], 'millrace')
    assert.equal(headers?.['content-type'], 'application/json')
  })

  test('follows the pages of a list', async () => {
    responses.push({ status: 200, body: '[1,2]', next: '5-a' }, { status: 200, body: '[3]' })
    assert.deepEqual(await callAll('/keys', { query: { of: 'all' } }), [1, 2, 3])
    assert.deepEqual(paths.slice(-2), ['/api/v1/keys?of=all', '/api/v1/keys?of=all&cursor=5-a'])
  })

  test('without a body sends no content type', async () => {
    await call('DELETE', '/keys/1', {})
    assert.equal(requestHeaders.at(-1)?.['content-type'], undefined)
    assert.equal(requestHeaders.at(-1)?.['x-workspace'], undefined)
  })

  test('returns undefined for an empty response', async () => {
    responses.push({ status: 200, body: '' })
    assert.equal(await call('GET', '/x'), undefined)
  })

  test('throws on an error status and on a response that is not JSON', async () => {
    responses.push(
      { status: 409, body: '{"detail":"taken","code":"name_taken"}' },
      { status: 502, body: '<html>' },
    )
    await assert.rejects(
      call('GET', '/x'),
      (error) => error instanceof ApiError && error.code === 'name_taken',
    )
    await assert.rejects(call('GET', '/x'), (error) => error instanceof ApiError && error.status === 502)
  })

  test('waits after the end of a session and is repeated with the next one', async () => {
    responses.push({ status: 401, body: '{"code":"unauthorized"}' })
    await assert.rejects(call('GET', '/x'), { status: 401 })
    markSignedIn()
    const ended = { status: 401, body: '{"code":"unauthorized"}' }
    responses.push(ended, ended, { status: 200, body: '"one"' }, { status: 200, body: '"two"' })
    const results = Promise.all([call('PUT', '/x', { body: {} }), call('GET', '/y')])
    await new Promise<void>((resolve) => (isSessionEnded() ? resolve() : onSessionChange(resolve)))
    resumeSession()
    assert.deepEqual((await results).toSorted(), ['one', 'two'])
    assert.equal(isSessionEnded(), false)
    responses.push(ended)
    await assert.rejects(call('POST', '/api/auth/sign-in/email', { body: {} }), { status: 401 })
    markSignedOut()
  })

  test('reports that the service is away, and that a change is not confirmed', async () => {
    responses.push({ status: 502, body: '<html>' }, { status: 503, body: '' }, { status: 503, body: '' })
    await assert.rejects(call('GET', '/x'), { status: 502 })
    assert.equal(currentConnection().isAway, true)
    await assert.rejects(call('POST', '/x', { body: {} }), { message: /may have happened/ })
    await assert.rejects(call('POST', '/destinations/d1/compare', { body: {} }), (error: Error) => {
      assert.doesNotMatch(error.message, /may have happened/)
      return true
    })
    await call('GET', '/x')
    assert.equal(currentConnection().isAway, false)
    responses.push({ status: 502, body: '{"detail":"the wiki is away","code":"unreachable"}' })
    await assert.rejects(call('GET', '/x'), { code: 'unreachable' })
    assert.equal(currentConnection().isAway, false)
  })

  test('that is aborted does not report a service failure', async () => {
    const controller = new AbortController()
    controller.abort()
    await assert.rejects(call('GET', '/x', { signal: controller.signal }), { name: 'AbortError' })
  })
})
