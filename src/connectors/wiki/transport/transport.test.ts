import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, type TestContext, test } from 'node:test'
import { z } from 'zod'
import type { AppError } from '../../../errors.ts'
import type { Egress } from '../../egress/egress.ts'
import { createEgress } from '../../egress/guard.ts'
import { cloudSite, dataCenterSite } from './site.ts'
import { createWikiTransport, type TransportOptions } from './transport.ts'

const { signal } = new AbortController()
const response = z.object({ n: z.number(), _links: z.object({ next: z.string() }).optional() })
const request = { doing: 'listing', path: '/api/v2/spaces', response }
const guard = createEgress()
after(() => guard.close())

type Reply = { status?: number; headers?: Record<string, string>; text?: string }
const good: Reply = { text: '{"n":1}' }
const quota = (seconds: number): Reply => ({
  status: 429,
  headers: { 'retry-after': String(seconds), 'ratelimit-reason': 'confluence-quota-tenant-based' },
})

/** A transport whose requests are answered by `reply` and recorded in `sent`. */
function transportTo(reply: (url: URL, times: number) => Reply, options: TransportOptions = {}) {
  const sent: URL[] = []
  const egress: Egress = {
    ...guard,
    request: async (url) => {
      sent.push(url)
      const replied = reply(url, sent.length)
      const { status = 200, headers = { 'content-type': 'application/json' }, text = '' } = replied
      const bytes = new TextEncoder().encode(text)
      const body = { complete: true, text: async () => text, bytes: async () => bytes }
      return { status, headers: new Headers(headers), url, ...body }
    },
  }
  const site = cloudSite('https://acme.atlassian.net')
  const access = { site, authorization: 'Basic x', egress }
  return { sent, access, transport: createWikiTransport(access, { firstWaitMs: 1, ...options }) }
}

async function all(transport: ReturnType<typeof transportTo>['transport']): Promise<number> {
  let pages = 0
  for await (const _ of transport.sendPaged(request, signal)) pages++
  return pages
}

describe('sendPaged', () => {
  test('fails if next links form a cycle', async () => {
    const { sent, transport } = transportTo((url) => {
      const next = url.searchParams.get('cursor') === 'a' ? 'b' : 'a'
      return { text: JSON.stringify({ n: 1, _links: { next: `/wiki/api/v2/spaces?cursor=${next}` } }) }
    })
    await assert.rejects(all(transport), (error: AppError) => error.code === 'source_misread')
    assert.equal(sent.length, 3)
  })
  test('never leaves the wiki, whatever the next link is', async () => {
    const links = [
      'https://evil.example/wiki/api/v2/spaces?cursor=1',
      '//evil.example/x?cursor=2',
      '@evil.example/?cursor=3',
    ]
    const { sent, transport } = transportTo(() => {
      const next = links.shift()
      return { text: JSON.stringify({ n: 1, ...(next ? { _links: { next } } : {}) }) }
    })
    assert.equal(await all(transport), 4)
    assert.deepEqual(new Set(sent.map((url) => url.origin)), new Set(['https://acme.atlassian.net']))
  })
})

describe('send', () => {
  const failing = (reply: Reply) => {
    const { sent, transport } = transportTo(() => reply)
    return { sent, done: transport.send(request, signal) }
  }
  test('gives each refusal its code, without a retry and without text of the response', async () => {
    const codes = { 401: 'source_unauthorized', 403: 'source_forbidden', 404: 'source_not_found' }
    for (const [status, code] of Object.entries(codes)) {
      const { sent, done } = failing({ status: Number(status), text: 'a secret of the server' })
      await assert.rejects(
        done,
        (error: AppError) => error.code === code && !error.message.includes('secret'),
      )
      assert.equal(sent.length, 1)
    }
  })
  test('tries six times if the wiki is not available', async () => {
    for (const status of [502, 503]) {
      const { sent, done } = failing({ status })
      await assert.rejects(done, (error: AppError) => error.code === 'source_unreachable')
      assert.equal(sent.length, 6)
    }
  })
  test('treats a web page as a sign-in page, and retries a truncated response before it fails', async () => {
    const page = failing({ headers: { 'content-type': 'text/html' }, text: '<html>' })
    await assert.rejects(page.done, (error: AppError) => error.code === 'source_unauthorized')
    const half = failing({ text: '{"n":' })
    await assert.rejects(half.done, (error: AppError) => error.code === 'source_misread')
    assert.ok(half.sent.length > 1)
  })
  test('retries a truncated response after failures of another kind', async () => {
    const half = { text: '{"n":' }
    const replies = [{ status: 503 }, { status: 503 }, { status: 503 }, half]
    const { sent, transport } = transportTo((_, times) => replies[times - 1] ?? good)
    assert.equal((await transport.send(request, signal)).n, 1)
    assert.equal(sent.length, 5)
  })
  test('treats a 403 with Retry-After as a rate limit', async () => {
    const limit = { status: 403, headers: { 'retry-after': '0.01' } }
    const { sent, transport } = transportTo((_, times) => (times < 3 ? limit : good))
    assert.equal((await transport.send(request, signal)).n, 1)
    assert.equal(sent.length, 3)
  })
})

describe('the login reason of a response', () => {
  const answering = (reason: string, status = 200) =>
    transportTo(() => ({ ...good, status, headers: { 'x-seraph-loginreason': reason } }))

  test('fails a request whose credentials were not accepted, whatever the status', async () => {
    const reasons = [
      'AUTHENTICATED_FAILED',
      'authentication_denied',
      'AUTHORISATION_FAILED',
      'OUT, AUTHENTICATED_FAILED',
    ]
    for (const reason of reasons)
      for (const status of [200, 403, 404, 429, 500]) {
        const { sent, transport } = answering(reason, status)
        await assert.rejects(transport.send(request, signal), { code: 'source_unauthorized', endsJob: true })
        assert.equal(sent.length, 1, `${reason} ${status}`)
      }
  })
  test('does not concern requests without credentials', async () => {
    const { access } = answering('AUTHENTICATED_FAILED')
    const visitor = createWikiTransport({ ...access, authorization: null })
    assert.equal((await visitor.send(request, signal)).n, 1)
  })
  test('counts as accepted only if it says so', async () => {
    const counts = { OK: 0, 'OUT, OK': 0, OUT: 1, '': 1 }
    for (const [reason, count] of Object.entries(counts)) {
      const { transport } = answering(reason)
      await transport.send(request, signal)
      assert.equal(transport.unsignedCount(), count, reason)
    }
    const { transport } = transportTo(() => ({ status: 404 }))
    await assert.rejects(transport.send(request, signal), { code: 'source_not_found' })
    assert.equal(transport.unsignedCount(), 1)
  })
})

describe('a wiki that asks for a pause', () => {
  test('is waited for until its quota resets, which does not count as a try', async () => {
    const { sent, transport } = transportTo((_, times) => (times <= 7 ? quota(0.01) : good), { tries: 2 })
    assert.equal((await transport.send(request, signal)).n, 1)
    assert.equal(sent.length, 8)
  })
  test('of more than an hour fails the request with the end and the reason', async () => {
    const { sent, transport } = transportTo(() => quota(2 * 3600))
    const before = Date.now()
    const error = await transport.send(request, signal).catch((error) => error)
    const after = Date.now()
    assert.equal(error.code, 'source_unreachable')
    const until = /asks for a pause until (\S+Z): the hourly quota/.exec(error.message)?.[1] ?? ''
    const asked = Date.parse(until) - 7_200_000
    assert.ok(asked > before - 5_000 && asked < after + 5_000, error.message)
    assert.equal(sent.length, 1)
    // The next request fails without reaching the wiki.
    await assert.rejects(transport.send(request, signal), /the hourly quota/)
    assert.equal(sent.length, 1)
  })
  test('of an hour because of a burst is not waited for', async () => {
    const { sent, transport } = transportTo(() => ({ status: 429, headers: { 'retry-after': '3600' } }))
    await assert.rejects(transport.send(request, signal), (error: AppError) => {
      return (
        error.code === 'source_unreachable' &&
        /asks for a pause until \S+Z: it received too many/.test(error.message)
      )
    })
    assert.equal(sent.length, 1)
  })
  test('is not waited for longer than maxWaitMs', async () => {
    const { sent, transport } = transportTo(() => quota(1800), { maxWaitMs: 20_000 })
    await assert.rejects(transport.send(request, signal), /asks for a pause until/)
    assert.equal(sent.length, 1)
  })
  test('stops at once for a cancelled request', async () => {
    const caller = new AbortController()
    const { sent, transport } = transportTo(() => {
      setImmediate(() => caller.abort(new Error('cancelled')))
      return quota(1800)
    })
    await assert.rejects(transport.send(request, caller.signal), /cancelled/)
    assert.equal(sent.length, 1)
  })
  test('pauses all requests to it, with and without an account, and none to another wiki', async () => {
    const { sent, access, transport } = transportTo((url) =>
      url.host === 'acme.atlassian.net' ? quota(1800) : good,
    )
    const caller = new AbortController()
    const waiting = transport.send(request, caller.signal).catch((error: Error) => error.message)
    await new Promise((resolve) => setImmediate(resolve))
    const visitor = createWikiTransport({ ...access, authorization: null }, { maxWaitMs: 1 })
    await assert.rejects(visitor.send(request, signal), /the hourly quota/)
    const site = cloudSite('https://other.atlassian.net')
    await createWikiTransport({ ...access, site }).send(request, signal)
    assert.deepEqual(
      sent.map((url) => url.host),
      ['acme.atlassian.net', 'other.atlassian.net'],
    )
    caller.abort(new Error('cancelled'))
    assert.equal(await waiting, 'cancelled')
  })
})

describe('connections', () => {
  const REQUESTS = 48

  /** A wiki on this machine, and a function that opens a transport to it. */
  async function wiki(t: TestContext, handle: (request: IncomingMessage, response: ServerResponse) => void) {
    const server = createServer(handle)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const egress = createEgress({ publicOnly: false })
    t.after(async () => {
      await egress.close()
      server.closeAllConnections()
      server.close()
    })
    const site = dataCenterSite(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const open = () => createWikiTransport({ site, authorization: 'Bearer x', egress }, { firstWaitMs: 5 })
    return { server, open }
  }
  const respondOk = (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"n":1}')

  test('are shared and reused: two transports together have at most 16 requests in progress', async (t) => {
    let active = 0
    let most = 0
    let connections = 0
    const { server, open } = await wiki(t, (_, response) => {
      most = Math.max(most, ++active)
      setTimeout(() => {
        active--
        respondOk(response)
      }, 20)
    })
    server.on('connection', () => connections++)
    const transports = [open(), open()]
    for (let round = 0; round < 6; round++) {
      await Promise.all(Array.from({ length: REQUESTS }, (_, i) => transports[i % 2]!.send(request, signal)))
    }
    assert.ok(most > 8 && most <= 16, `${most} at once`)
    assert.ok(connections <= 32, `${connections} connections`)
  })

  test('do not exceed the initial limit while the wiki warns', async (t) => {
    let active = 0
    let most = 0
    const { open } = await wiki(t, (_, response) => {
      most = Math.max(most, ++active)
      setTimeout(() => {
        active--
        respondOk(response.setHeader('x-ratelimit-nearlimit', 'true'))
      }, 2)
    })
    const transport = open()
    await Promise.all(Array.from({ length: REQUESTS }, () => transport.send(request, signal)))
    assert.ok(most <= 4, `${most} at once`)
  })

  test('are not opened during an outage: one request probes, and the others follow', async (t) => {
    const arrivals: number[] = []
    const { open } = await wiki(t, (_, response) => {
      arrivals.push(performance.now())
      if (arrivals.length === 5) return setTimeout(() => respondOk(response), 50)
      if (arrivals.length > 4) return respondOk(response)
      response.writeHead(503, { 'retry-after': '0.2' }).end()
    })
    const transport = open()
    await Promise.all(Array.from({ length: 12 }, () => transport.send(request, signal)))
    // Four requests in parallel, then a pause, then one, then the others after its response.
    assert.equal(arrivals.length, 16)
    assert.ok(arrivals[4]! - arrivals[3]! >= 150, `${arrivals[4]! - arrivals[3]!} ms`)
    assert.ok(arrivals[5]! - arrivals[4]! >= 45, `${arrivals[5]! - arrivals[4]!} ms`)
  })
})
