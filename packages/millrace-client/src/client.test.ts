import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { Millrace, MillraceError } from './index.ts'
import { collect } from './paging.ts'
import { delayMs, retryAfterOf } from './retry.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

describe('the client', () => {
  const handlers: Handler[] = []
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`)
    const handler = handlers.shift()
    if (handler) handler(request, response)
    else response.writeHead(500).end()
  })
  let millrace: Millrace
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    millrace = new Millrace({
      url,
      key: 'the-key',
      personToken: async () => 'the-token',
      retry: { retries: 2, firstDelayMs: 1 },
    })
  })
  after(() => server.close())

  function answers(...given: Handler[]): void {
    handlers.splice(0, handlers.length, ...given)
    received.length = 0
  }
  const json =
    (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
    (_request, response) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

  test('it sends credentials, fills paths and returns JSON', async () => {
    let headers: IncomingMessage['headers'] = {}
    answers((request, response) => {
      headers = request.headers
      json(200, { id: 'a/b' })(request, response)
    })
    assert.deepEqual(await millrace.sources.get('a/b'), { id: 'a/b' })
    assert.deepEqual(received, ['GET /api/v1/sources/a%2Fb'])
    assert.equal(headers.authorization, 'Bearer the-key')
    assert.equal(headers['x-person-token'], 'the-token')
  })

  test('it refuses an empty id', async () => {
    answers()
    await assert.rejects(millrace.sources.delete(''), /needs id/)
    assert.deepEqual(received, [])
  })

  test('it refuses an id that is a step in the path', async () => {
    answers()
    for (const id of ['.', '..']) {
      await assert.rejects(millrace.sources.delete(id), /needs id/)
      await assert.rejects(collect(millrace.events(id)), /needs id/)
    }
    assert.deepEqual(received, [])
  })

  test('it sends tokens to no other host', async () => {
    const leaked: IncomingMessage['headers'][] = []
    const other = createServer((request, response) => {
      leaked.push(request.headers)
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
    for (const status of [302, 307]) {
      answers(json(status, {}, { location }))
      await assert.rejects(millrace.jobs.get('j'), { status })
    }
    other.close()
    assert.deepEqual(leaked, [])
  })

  test('it does not wait for a day', async () => {
    for (const retryAfter of ['86400', '99999999999']) {
      answers(json(503, {}, { 'retry-after': retryAfter }), json(200, {}))
      await assert.rejects(millrace.jobs.get('j'), { status: 503, retryAfter: Number(retryAfter) })
      assert.equal(received.length, 1)
    }
  })

  test('it reports a response that breaks off as its own error', async () => {
    const brokenOff =
      (status: number): Handler =>
      (_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json', 'content-length': '100' })
        response.write('{"a"', () => response.destroy())
      }
    answers(brokenOff(200))
    await assert.rejects(millrace.jobs.get('j'), { name: 'MillraceError', status: 0 })
    answers(brokenOff(500))
    await assert.rejects(millrace.jobs.get('j'), { name: 'MillraceError', status: 500 })
  })

  test('it retries safe requests and searches', async () => {
    answers(json(503, {}), (_request, response) => void response.destroy(), json(200, []))
    assert.deepEqual(await millrace.jobs.list(), [])
    assert.equal(received.length, 3)
    answers(
      json(429, { detail: 'slow down', code: 'rate_limited' }, { 'retry-after': '0' }),
      json(200, { hits: [] }),
    )
    assert.deepEqual(await millrace.search('d', { query: 'x' }), { hits: [] })
  })

  test('it does not retry changes or final failures', async () => {
    const problem = { detail: 'The index is away', code: 'destination_unreachable', retryable: false }
    for (const call of [() => millrace.jobs.get('j'), () => millrace.jobs.cancel('j')]) {
      answers(json(502, problem), json(200, {}))
      await assert.rejects(call(), { status: 502, code: 'destination_unreachable' })
      assert.equal(received.length, 1)
    }
    answers((_request, response) => void response.destroy())
    await assert.rejects(millrace.jobs.cancel('j'), { status: 0, code: '' })
  })

  test('it gives up after the last retry, with Retry-After', async () => {
    answers(
      ...Array<Handler>(3).fill(json(429, { detail: 'slow', code: 'rate_limited' }, { 'retry-after': '0' })),
    )
    await assert.rejects(millrace.jobs.get('j'), { status: 429, retryAfter: 0 })
    assert.equal(received.length, 3)
  })

  test('it refuses the page of a proxy as a response', async () => {
    for (const [type, text] of [
      ['text/html', '<h1>Sign in</h1>'],
      ['application/json', '{"status":'],
    ] as const) {
      answers((_request, response) => response.writeHead(200, { 'content-type': type }).end(text))
      await assert.rejects(millrace.jobs.get('j'), { name: 'MillraceError', status: 200 }, type)
    }
  })

  test('it names the invalid fields of a 422', async () => {
    const detail = [{ loc: ['body', 'config', 'url'], msg: 'should be an address', type: 'url' }]
    answers(json(422, { detail }))
    const error = await millrace.sources
      .create({ name: 'a', type: 'wiki', config: { url: 'x' } })
      .catch((thrown) => thrown)
    assert.ok(error instanceof MillraceError)
    assert.deepEqual([error.status, error.code, error.fields], [422, 'invalid_request', detail])
    assert.match(error.message, /POST \/api\/v1\/sources: config.url: should be an address/)
  })

  test('it iterates over pages and cursors', async () => {
    answers(json(200, [{ id: 1 }, { id: 2 }]), json(200, [{ id: 3 }]))
    const workflows = await collect(millrace.workflows.list({ page_size: 2 }))
    assert.deepEqual(workflows, [{ id: 1 }, { id: 2 }, { id: 3 }])
    answers(json(200, { items: ['a'], next: 'n' }), json(200, { items: ['b'], next: null }))
    assert.deepEqual(await collect(millrace.jobs.documents('j', { state: 'failed' })), ['a', 'b'])
    assert.deepEqual(received, [
      'GET /api/v1/jobs/j/documents?state=failed',
      'GET /api/v1/jobs/j/documents?state=failed&cursor=n',
    ])
  })

  test('it pages through hits and elements', async () => {
    answers(json(200, { hits: ['a'], next: 'n' }), json(200, { hits: ['b'], next: null }))
    assert.deepEqual(await collect(millrace.searchAll('d', { query: 'x' })), ['a', 'b'])
    answers(json(200, { elements: ['a'], next: null }))
    const query = { groups: ['x', 'y'] }
    assert.deepEqual(await collect(millrace.documents.elements('d', 'site/1', { query })), ['a'])
    assert.deepEqual(received, ['GET /api/v1/destinations/d/documents/site%2F1?groups=x&groups=y'])
  })

  const events =
    (...given: [id: string, event: string, data: object][]): Handler =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': still here\n\n')
      for (const [id, event, data] of given)
        response.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      response.end()
    }

  test('it resumes lost events where they ended', async () => {
    let resumedFrom: unknown
    answers(
      events(['w1', 'warning', { code: 'a' }], ['w1', 'progress', { found: 1 }]),
      (request, response) => {
        resumedFrom = request.headers['last-event-id']
        events(['done', 'done', { status: 'COMPLETED' }])(request, response)
      },
    )
    const kinds = (await collect(millrace.events('j'))).map(({ event }) => event)
    assert.deepEqual(kinds, ['warning', 'progress', 'done'])
    assert.equal(resumedFrom, 'w1')
  })

  test('it waits for a job by events, or by polling', async () => {
    const found: number[] = []
    const onProgress = (progress: { found: number }) => found.push(progress.found)
    answers(
      events(['w0', 'progress', { found: 3 }], ['done', 'done', {}]),
      json(200, { status: 'COMPLETED' }),
    )
    assert.deepEqual(await millrace.waitForJob('j', { onProgress }), { status: 'COMPLETED' })
    answers(json(406, {}), json(200, { status: 'IN_PROGRESS', found: 4 }), json(200, { status: 'FAILED' }))
    assert.deepEqual(await millrace.waitForJob('j', { onProgress, pollMs: 1 }), { status: 'FAILED' })
    assert.deepEqual(found, [3, 4])
    answers(json(404, { detail: 'Job not found', code: 'not_found' }))
    await assert.rejects(millrace.waitForJob('j'), { status: 404 })
  })

  test('it stops with the reason of the signal', async () => {
    const stopping = new AbortController()
    answers(() => stopping.abort(new Error('enough')))
    await assert.rejects(millrace.jobs.get('j', { signal: stopping.signal }), /enough/)
    await assert.rejects(collect(millrace.events('j', { signal: stopping.signal })), /enough/)
  })
})

test('it waits as long as the service says, and at least for the backoff', () => {
  const options = { retries: 3, firstDelayMs: 100, maxDelayMs: 300 }
  assert.equal(delayMs(0, 5, options), 5000)
  for (const [attempt, most] of [
    [0, 100],
    [1, 200],
    [5, 300],
  ] as const) {
    const delay = delayMs(attempt, undefined, options)
    assert.ok(delay >= most / 2 && delay <= most, String(delay))
  }
  const now = Date.parse('2026-01-01T00:00:00Z')
  assert.equal(retryAfterOf('Thu, 01 Jan 2026 00:00:30 GMT', now), 30)
  assert.equal(retryAfterOf('12'), 12)
  assert.equal(retryAfterOf('soon'), undefined)
})
