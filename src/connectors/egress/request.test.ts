import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { getEventListeners } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { AppError } from '../../errors.ts'
import { parseAllowedHosts } from './allowed-hosts.ts'
import type { EgressRequest } from './egress.ts'
import { createEgress } from './guard.ts'

type Seen = { method: string; path: string; headers: IncomingMessage['headers']; body: string }

/** A server that responds by path and records requests. */
async function serve(answers: Record<string, (response: ServerResponse, request: IncomingMessage) => void>) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push({ method: request.method!, path: request.url!, headers: request.headers, body })
    const answer = answers[request.url!]
    if (answer) answer(response, request)
    else response.end('here')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { seen, server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

type World = Awaited<ReturnType<typeof serve>>

const redirect = (status: number, location: string) => (response: ServerResponse) =>
  response.writeHead(status, { location }).end('moved')

const never = new AbortController().signal
const secrets = {
  Authorization: 'Bearer canary',
  Cookie: 'canary',
  'X-Api-Key': 'canary',
  Accept: 'text/plain',
}
const egress = createEgress({ allowedHosts: parseAllowedHosts('127.0.0.1') })
const get = (url: string, options: EgressRequest = {}, signal = never) =>
  egress.request(new URL(url), options, signal)
after(() => egress.close())

describe('a redirect', () => {
  let other: World
  let origin: World
  before(async () => {
    other = await serve({})
    origin = await serve({
      '/near': redirect(302, '/here'),
      '/far': redirect(302, `${other.origin}/far`),
      '/keep': redirect(307, '/here'),
      '/keep-far': redirect(308, `${other.origin}/far`),
      '/loop': redirect(301, '/loop'),
      '/inside': redirect(301, 'http://169.254.169.254/latest/meta-data'),
      '/user': redirect(301, 'http://user:pass@127.0.0.1/'),
      '/file': redirect(301, 'file:///etc/passwd'),
      '/broken': redirect(301, 'http://['),
      '/nowhere': (response) => response.writeHead(304).end(),
    })
  })
  const one = (path: string) => `${origin.origin}${path}`
  const last = () => origin.seen.at(-1)!
  after(() => {
    other.server.close()
    origin.server.close()
  })

  test('on the same origin keeps its headers', async () => {
    const answer = await get(one('/near'), { headers: secrets })
    assert.equal(answer.url.pathname, '/here')
    assert.equal(await answer.text(), 'here')
    assert.equal(last().headers.authorization, 'Bearer canary')
  })

  test('to another port sends no credentials', async () => {
    await get(one('/far'), { headers: secrets })
    const { headers } = other.seen.at(-1)!
    assert.equal(headers.accept, 'text/plain')
    assert.doesNotMatch(JSON.stringify(headers), /canary/)
    assert.deepEqual(Object.keys(headers).sort(), [
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
  })

  test('turns a POST into a GET without its body', async () => {
    await get(one('/near'), { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
    assert.deepEqual([last().method, last().body, last().headers['content-type']], ['GET', '', undefined])
  })

  test('that keeps the method sends the body again, but to no other host', async () => {
    await get(one('/keep'), { method: 'POST', body: 'sent' })
    assert.deepEqual([last().method, last().body], ['POST', 'sent'])
    const before = other.seen.length
    await assert.rejects(get(one('/keep-far'), { method: 'POST', body: 'sent' }), { code: 'egress_refused' })
    assert.equal(other.seen.length, before)
  })

  test('is followed five times', async () => {
    const before = origin.seen.length
    await assert.rejects(get(one('/loop')), { code: 'source_failed' })
    assert.equal(origin.seen.length - before, 6)
  })

  test('to a private address, with a password or another scheme is refused', async () => {
    for (const path of ['/inside', '/user', '/file']) {
      await assert.rejects(get(one(path)), { code: 'egress_refused' }, path)
    }
    await assert.rejects(get(one('/broken')), { code: 'source_failed' })
  })

  test('without a target is a normal response', async () => {
    assert.equal((await get(one('/nowhere'))).status, 304)
  })
})

describe('a response', () => {
  const text = 'grain '.repeat(1000)
  const packed = (encoding: string, bytes: Buffer) => (response: ServerResponse) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(bytes)
  let world: World
  const one = (path: string) => `${world.origin}${path}`

  before(async () => {
    world = await serve({
      '/gzip': packed('gzip', gzipSync(text)),
      '/br': packed('br', brotliCompressSync(text)),
      '/deflate': packed('deflate', deflateSync(text)),
      '/odd': packed('rot13', Buffer.from(text)),
      '/broken-gzip': packed('gzip', Buffer.from('no gzip at all')),
      '/broken-br': packed('br', Buffer.from('hello world garbage')),
      '/bomb': packed('gzip', gzipSync(Buffer.alloc(50_000_000))),
      '/long': (response) => response.end('x'.repeat(1001)),
      '/endless': (response) => {
        const pour = () => {
          while (response.write('x'.repeat(10_000)));
        }
        response.on('drain', pour)
        pour()
      },
      '/endless-error': (response) => {
        response.writeHead(500)
        const pour = () => {
          while (response.write('x'.repeat(10_000)));
        }
        response.on('drain', pour)
        pour()
      },
      '/silent': () => {},
      '/stalls': (response) => response.writeHead(200).write('half'),
      '/cut': (response) => response.destroy(),
      '/missing': (response) =>
        response.writeHead(404, { 'set-cookie': ['a=1', 'b=2'], 'retry-after': '7' }).end('no'),
    })
  })
  after(() => {
    world.server.closeAllConnections()
    world.server.close()
  })

  for (const encoding of ['gzip', 'br', 'deflate']) {
    test(`compressed with ${encoding} is decompressed`, async () => {
      assert.equal(await (await get(one(`/${encoding}`))).text(), text)
      assert.equal(await (await get(one(`/${encoding}`), { method: 'HEAD' })).text(), '')
    })
  }

  test('that cannot be decompressed is an error', async () => {
    for (const path of ['/odd', '/broken-gzip', '/broken-br']) {
      await assert.rejects(get(one(path)), { code: 'source_failed' }, path)
    }
  })

  test('may be as long as the limit and not a byte longer', async () => {
    assert.equal((await (await get(one('/long'), { maxBytes: 1001 })).bytes()).length, 1001)
    await assert.rejects(get(one('/long'), { maxBytes: 1000 }), { code: 'source_answer_too_long' })
  })

  test('that never ends, or unpacks beyond the limit, is cut there', async () => {
    const cut = new Promise((done) =>
      world.server.once('request', (_, response) => response.once('close', done)),
    )
    await assert.rejects(get(one('/endless'), { maxBytes: 1_000_000 }), { code: 'source_answer_too_long' })
    await cut
    await assert.rejects(get(one('/bomb'), { maxBytes: 1_000_000 }), { code: 'source_answer_too_long' })
  })

  test('with an error status is cut at 64 KB, whatever the limit', async () => {
    const answer = await get(one('/endless-error'), { maxBytes: 10 })
    assert.deepEqual([answer.status, answer.complete], [500, false])
    assert.ok((await answer.bytes()).length < 200_000)
    assert.equal(await (await get(one('/missing'), { maxBytes: 1 })).text(), 'no')
  })

  test('that is late or incomplete fails at the time limit', async () => {
    for (const path of ['/silent', '/stalls']) {
      await assert.rejects(get(one(path), { timeoutMs: 50 }), {
        code: 'source_unreachable',
        message: /no response within 0.05 s/,
      })
    }
  })

  test('is abandoned when the caller aborts, with its reason', async () => {
    const reason = new AppError('cancelled', 'stopped by a person')
    const caller = new AbortController()
    world.server.once('request', () => caller.abort(reason))
    await assert.rejects(get(one('/silent'), {}, caller.signal), (error) => error === reason)
    await assert.rejects(get(one('/gzip'), {}, caller.signal), (error) => error === reason)
  })

  test('leaves no timer and no listener in memory', async () => {
    const timers = new Set<number>()
    const hook = createHook({
      init: (id, type) => type === 'Timeout' && timers.add(id),
      destroy: (id) => timers.delete(id),
    }).enable()
    const { signal } = new AbortController()
    for (let count = 0; count < 20; count++) await (await get(one('/gzip'), {}, signal)).bytes()
    await setImmediate()
    hook.disable()
    // The HTTP client has timers for its connections, not for each request.
    assert.ok(timers.size < 10, `${timers.size} timers`)
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  })

  test('that is cut off is an error', async () => {
    await assert.rejects(get(one('/cut')), {
      code: 'source_unreachable',
      message: /the other side closed the connection/,
    })
  })

  test('keeps status and headers, those of an error too', async () => {
    const answer = await get(one('/missing'))
    assert.equal(answer.status, 404)
    assert.equal(answer.headers.get('retry-after'), '7')
    assert.deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2'])
  })
})
