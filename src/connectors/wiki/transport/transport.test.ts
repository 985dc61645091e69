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
const question = { doing: 'listing', path: '/api/v2/spaces', response }
const guard = createEgress()
after(() => guard.close())

type Reply = { status?: number; headers?: Record<string, string>; text?: string }
const good: Reply = { text: '{"n":1}' }
const quota = (seconds: number): Reply => ({
  status: 429,
  headers: { 'retry-after': String(seconds), 'ratelimit-reason': 'confluence-quota-tenant-based' },
})

/** A way out that leads to this function, and remembers where it was asked to go. */
function wayTo(reply: (url: URL, times: number) => Reply, options: TransportOptions = {}) {
  const asked: URL[] = []
  const egress: Egress = {
    ...guard,
    request: async (url) => {
      asked.push(url)
      const given = reply(url, asked.length)
      const { status = 200, headers = { 'content-type': 'application/json' }, text = '' } = given
      const bytes = new TextEncoder().encode(text)
      const body = { whole: true, text: async () => text, bytes: async () => bytes }
      return { status, headers: new Headers(headers), url, ...body }
    },
  }
  const site = cloudSite('https://acme.atlassian.net')
  const access = { site, authorization: 'Basic x', egress }
  return { asked, access, transport: createWikiTransport(access, { firstWaitMs: 1, ...options }) }
}

async function all(transport: ReturnType<typeof wayTo>['transport']): Promise<number> {
  let pages = 0
  for await (const _ of transport.askAll(question, signal)) pages++
  return pages
}

describe('askAll', () => {
  test('ends with an error where next links go round in circles', async () => {
    const { asked, transport } = wayTo((url) => {
      const next = url.searchParams.get('cursor') === 'a' ? 'b' : 'a'
      return { text: JSON.stringify({ n: 1, _links: { next: `/wiki/api/v2/spaces?cursor=${next}` } }) }
    })
    await assert.rejects(all(transport), (error: AppError) => error.code === 'source_misread')
    assert.equal(asked.length, 3)
  })
  test('never leaves the wiki, whatever a next link says', async () => {
    const links = [
      'https://evil.example/wiki/api/v2/spaces?cursor=1',
      '//evil.example/x?cursor=2',
      '@evil.example/?cursor=3',
    ]
    const { asked, transport } = wayTo(() => {
      const next = links.shift()
      return { text: JSON.stringify({ n: 1, ...(next ? { _links: { next } } : {}) }) }
    })
    assert.equal(await all(transport), 4)
    assert.deepEqual(new Set(asked.map((url) => url.origin)), new Set(['https://acme.atlassian.net']))
  })
})

describe('ask', () => {
  const failing = (reply: Reply) => {
    const { asked, transport } = wayTo(() => reply)
    return { asked, done: transport.ask(question, signal) }
  }
  test('gives each refusal its code, without trying again and without the remote text', async () => {
    const codes = { 401: 'source_unauthorized', 403: 'source_forbidden', 404: 'source_not_found' }
    for (const [status, code] of Object.entries(codes)) {
      const { asked, done } = failing({ status: Number(status), text: 'a secret of the server' })
      await assert.rejects(
        done,
        (error: AppError) => error.code === code && !error.message.includes('secret'),
      )
      assert.equal(asked.length, 1)
    }
  })
  test('tries six times where the wiki is not available', async () => {
    for (const status of [502, 503]) {
      const { asked, done } = failing({ status })
      await assert.rejects(done, (error: AppError) => error.code === 'source_unreachable')
      assert.equal(asked.length, 6)
    }
  })
  test('takes a web page for a sign-in, and half an answer for a misreading after trying again', async () => {
    const page = failing({ headers: { 'content-type': 'text/html' }, text: '<html>' })
    await assert.rejects(page.done, (error: AppError) => error.code === 'source_unauthorized')
    const half = failing({ text: '{"n":' })
    await assert.rejects(half.done, (error: AppError) => error.code === 'source_misread')
    assert.ok(half.asked.length > 1)
  })
  test('takes a 403 for a limit where it says when to come back', async () => {
    const limit = { status: 403, headers: { 'retry-after': '0.01' } }
    const { asked, transport } = wayTo((_, times) => (times < 3 ? limit : good))
    assert.equal((await transport.ask(question, signal)).n, 1)
    assert.equal(asked.length, 3)
  })
})

describe('a wiki that wants to be left alone', () => {
  test('is waited for as long as its quota takes, which counts as no try', async () => {
    const { asked, transport } = wayTo((_, times) => (times <= 7 ? quota(0.01) : good), { tries: 2 })
    assert.equal((await transport.ask(question, signal)).n, 1)
    assert.equal(asked.length, 8)
  })
  test('for more than an hour is told with its end and its reason', async () => {
    const { asked, transport } = wayTo(() => quota(2 * 3600))
    const error = await transport.ask(question, signal).catch((error) => error)
    assert.equal(error.code, 'source_unreachable')
    const until = /asks for a pause until (\S+Z): the hourly quota/.exec(error.message)?.[1] ?? ''
    assert.ok(Math.abs(Date.parse(until) - Date.now() - 7_200_000) < 5_000, error.message)
    assert.equal(asked.length, 1)
    // Whoever comes next is told without asking the wiki.
    await assert.rejects(transport.ask(question, signal), /the hourly quota/)
    assert.equal(asked.length, 1)
  })
  test('for an hour because of a burst is not waited for', async () => {
    const { asked, transport } = wayTo(() => ({ status: 429, headers: { 'retry-after': '3600' } }))
    await assert.rejects(transport.ask(question, signal), (error: AppError) => {
      return (
        error.code === 'source_unreachable' &&
        /asks for a pause until \S+Z: it received too many/.test(error.message)
      )
    })
    assert.equal(asked.length, 1)
  })
  test('is not waited for longer than somebody has patience', async () => {
    const { asked, transport } = wayTo(() => quota(1800), { patienceMs: 20_000 })
    await assert.rejects(transport.ask(question, signal), /asks for a pause until/)
    assert.equal(asked.length, 1)
  })
  test('is left at once by whoever is called off', async () => {
    const caller = new AbortController()
    const { asked, transport } = wayTo(() => {
      setImmediate(() => caller.abort(new Error('called off')))
      return quota(1800)
    })
    await assert.rejects(transport.ask(question, caller.signal), /called off/)
    assert.equal(asked.length, 1)
  })
  test('is left alone by all that ask it, with and without an account, and another wiki is not', async () => {
    const { asked, access, transport } = wayTo((url) =>
      url.host === 'acme.atlassian.net' ? quota(1800) : good,
    )
    const caller = new AbortController()
    const waiting = transport.ask(question, caller.signal).catch((error: Error) => error.message)
    await new Promise((resolve) => setImmediate(resolve))
    const visitor = createWikiTransport({ ...access, authorization: null }, { patienceMs: 1 })
    await assert.rejects(visitor.ask(question, signal), /the hourly quota/)
    const site = cloudSite('https://other.atlassian.net')
    await createWikiTransport({ ...access, site }).ask(question, signal)
    assert.deepEqual(
      asked.map((url) => url.host),
      ['acme.atlassian.net', 'other.atlassian.net'],
    )
    caller.abort(new Error('called off'))
    assert.equal(await waiting, 'called off')
  })
})

describe('connections', () => {
  const CROWD = 48

  /** A wiki on this machine, and the way to it. */
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
  const fine = (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"n":1}')

  test('are shared and kept: two transports together are never served more than 16 at once', async (t) => {
    let active = 0
    let most = 0
    let connections = 0
    const { server, open } = await wiki(t, (_, response) => {
      most = Math.max(most, ++active)
      setTimeout(() => {
        active--
        fine(response)
      }, 2)
    })
    server.on('connection', () => connections++)
    const transports = [open(), open()]
    for (let round = 0; round < 6; round++) {
      await Promise.all(Array.from({ length: CROWD }, (_, i) => transports[i % 2]!.ask(question, signal)))
    }
    assert.ok(most > 8 && most <= 16, `${most} at once`)
    assert.ok(connections <= 32, `${connections} connections`)
  })

  test('become no more than at first while the wiki warns', async (t) => {
    let active = 0
    let most = 0
    const { open } = await wiki(t, (_, response) => {
      most = Math.max(most, ++active)
      setTimeout(() => {
        active--
        fine(response.setHeader('x-ratelimit-nearlimit', 'true'))
      }, 2)
    })
    const transport = open()
    await Promise.all(Array.from({ length: CROWD }, () => transport.ask(question, signal)))
    assert.ok(most <= 4, `${most} at once`)
  })

  test('are not opened while the wiki is away: one asks, and the others once it was answered', async (t) => {
    const arrivals: number[] = []
    const { open } = await wiki(t, (_, response) => {
      arrivals.push(performance.now())
      if (arrivals.length === 5) return setTimeout(() => fine(response), 50)
      if (arrivals.length > 4) return fine(response)
      response.writeHead(503, { 'retry-after': '0.2' }).end()
    })
    const transport = open()
    await Promise.all(Array.from({ length: 12 }, () => transport.ask(question, signal)))
    // Four were under way together; then silence, then one, and nobody until that one was answered.
    assert.equal(arrivals.length, 16)
    assert.ok(arrivals[4]! - arrivals[3]! >= 150, `${arrivals[4]! - arrivals[3]!} ms`)
    assert.ok(arrivals[5]! - arrivals[4]! >= 45, `${arrivals[5]! - arrivals[4]!} ms`)
  })
})
