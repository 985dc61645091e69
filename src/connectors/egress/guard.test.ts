import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { after, describe, test } from 'node:test'
import { request as send } from 'undici'
import { AppError } from '../../errors.ts'
import { parseAllowedHosts } from './allowed-hosts.ts'
import type { ConnectTarget } from './connect.ts'
import { appErrorIn } from './failure.ts'
import { createEgress, type EgressOptions } from './guard.ts'

const never = new AbortController().signal

/** A guard that records connections and opens none. */
function recorded(options: Omit<EgressOptions, 'connect'> = {}) {
  const targets: ConnectTarget[] = []
  const egress = createEgress({
    ...options,
    connect: (target, callback) => {
      targets.push(target)
      callback(Object.assign(new Error('recorded'), { code: 'ECONNREFUSED' }), null)
    },
  })
  return { egress, targets }
}

async function refusalOf(action: Promise<unknown>): Promise<AppError> {
  const error = await action.then(
    () => assert.fail('it was not refused'),
    (error) => error,
  )
  assert.ok(error instanceof AppError, String(error))
  return error
}

describe('the guard, from a URL alone,', () => {
  const { egress } = recorded({ allowedHosts: parseAllowedHosts('wiki.corp,10.0.0.5:9200,localhost:9200') })
  after(() => egress.close())

  const refused = [
    ...['ftp://wiki.corp/', 'file:///etc/passwd', 'https://user@wiki.corp/', 'https://:secret@wiki.corp/'],
    ...['http://example.com/', 'https://localhost/', 'https://a.localhost./', 'https://127.0.0.1/'],
    ...['https://0/', 'https://2130706433/', 'https://0x7f.1/', 'https://0177.0.0.1/', 'https://127.1/'],
    ...[
      'https://[::1]/',
      'https://[::ffff:7f00:1]/',
      'https://[64:ff9b::a9fe:a9fe]/',
      'https://169.254.169.254/',
    ],
    ...['https://10.0.0.5/', 'https://10.0.0.6:9200/', 'http://localhost:9201/'],
  ]
  for (const url of refused) {
    test(`refuses ${url}`, () => assert.notEqual(egress.refusal(new URL(url)), null))
  }

  const open = ['https://example.com/', 'https://8.8.8.8/', 'http://wiki.corp/', 'http://10.0.0.5:9200/']
  for (const url of [...open, 'http://localhost:9200/']) {
    test(`lets ${url} pass`, () => assert.equal(egress.refusal(new URL(url)), null))
  }

  test('names the setting that would allow it', () => {
    assert.match(egress.refusal(new URL('http://example.com/'))!, /operator.*MILLRACE_ALLOWED_HOSTS/)
    assert.doesNotMatch(egress.refusal(new URL('ftp://example.com/'))!, /MILLRACE_ALLOWED_HOSTS/)
  })

  test('allows everything on the command line', () => {
    const { egress } = recorded({ publicOnly: false })
    assert.ok(egress.isAllowed(new URL('http://127.0.0.1:9200')))
    assert.equal(egress.refusal(new URL('http://127.0.0.1:9200')), null)
    assert.notEqual(egress.refusal(new URL('http://user:pass@127.0.0.1:9200')), null)
  })
})

describe('the guard, at connect time,', () => {
  test('refuses a name with one private address, and connects to none', async () => {
    const { egress, targets } = recorded({ resolve: async () => ['8.8.8.8', '2606:4700::1', '10.0.0.1'] })
    const error = await refusalOf(egress.request(new URL('https://wiki.example'), {}, never))
    assert.equal(error.code, 'egress_refused')
    assert.equal(error.message, 'connecting to wiki.example: its name resolves to a private address')
    assert.match(error.fix!, /MILLRACE_ALLOWED_HOSTS/)
    assert.doesNotMatch(JSON.stringify([error.message, error.fix]), /10\.0\.0\.1/)
    assert.deepEqual(targets, [])
  })

  test('passes on the checked addresses and keeps the name for the certificate', async () => {
    const { egress, targets } = recorded({ resolve: async () => ['8.8.8.8', '2606:4700::1'] })
    const error = await refusalOf(egress.request(new URL('https://wiki.example:8443'), {}, never))
    assert.equal(error.code, 'source_unreachable')
    assert.equal(targets.length, 1)
    assert.deepEqual(targets[0]!.addresses, ['8.8.8.8', '2606:4700::1'])
    assert.equal(targets[0]!.hostname, 'wiki.example')
    assert.equal(targets[0]!.host, 'wiki.example:8443')
  })

  test('checks every new connection: a name that becomes private is refused', async () => {
    const answers = [['8.8.8.8'], ['169.254.169.254']]
    const { egress, targets } = recorded({ resolve: async () => answers.shift()! })
    const first = await refusalOf(egress.request(new URL('https://rebind.example'), {}, never))
    const second = await refusalOf(egress.request(new URL('https://rebind.example'), {}, never))
    assert.deepEqual([first.code, second.code], ['source_unreachable', 'egress_refused'])
    assert.deepEqual(
      targets.map((target) => target.addresses),
      [['8.8.8.8']],
    )
  })

  test('guards clients that use the dispatcher alone', async () => {
    const { egress, targets } = recorded({ resolve: async () => ['127.0.0.1'] })
    for (const url of [
      'https://127.0.0.1',
      'https://[::1]:9200',
      'http://example.com',
      'https://inside.example',
    ]) {
      const error = await send(url, { dispatcher: egress.dispatcher }).catch((error) => error)
      assert.equal(appErrorIn(error)?.code, 'egress_refused', url)
    }
    assert.deepEqual(targets, [])
  })

  test('allows a listed name to resolve to private addresses, but never to the metadata service', async () => {
    const allowedHosts = parseAllowedHosts('*.corp')
    const inside = recorded({ allowedHosts, resolve: async () => ['10.0.0.1'] })
    assert.equal(
      (await refusalOf(inside.egress.request(new URL('http://wiki.corp'), {}, never))).code,
      'source_unreachable',
    )
    assert.deepEqual(inside.targets[0]!.addresses, ['10.0.0.1'])
    const metadata = recorded({ allowedHosts, resolve: async () => ['169.254.169.254'] })
    const error = await refusalOf(metadata.egress.request(new URL('http://wiki.corp'), {}, never))
    assert.equal(error.code, 'egress_refused')
    assert.equal(error.fix, undefined)
  })

  test('says that a name does not exist', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))
    const error = await refusalOf(
      recorded({ resolve }).egress.request(new URL('https://gone.example'), {}, never),
    )
    assert.equal(error.message, 'connecting to gone.example: the host does not exist')
  })
})

describe('the guard, on a real connection,', () => {
  test('resolves a name once per connection and keeps the connection', async (t) => {
    const server = createServer((request, response) => response.end(request.headers.host))
    let connections = 0
    server.on('connection', () => connections++)
    const port = await listen(server)
    let lookups = 0
    const resolve = async () => {
      lookups++
      return ['127.0.0.1']
    }
    const egress = createEgress({ allowedHosts: parseAllowedHosts('wiki.corp'), resolve })
    t.after(() => egress.close().then(() => server.close()))
    for (let i = 0; i < 20; i++) {
      const answer = await egress.request(new URL(`http://wiki.corp:${port}/`), {}, never)
      assert.equal(await answer.text(), `wiki.corp:${port}`)
    }
    // The pool may open a second one while the first finishes.
    assert.ok(connections <= 2, `${connections} connections`)
    assert.equal(lookups, connections)
  })

  test('sends the host name in TLS while connecting to the address', async (t) => {
    const { promise: greeting, resolve: greeted } = Promise.withResolvers<Buffer>()
    const server = createSocketServer((socket) => {
      socket
        .on('error', () => {})
        .once('data', (hello) => {
          greeted(hello)
          socket.end('HTTP/1.1 400 this is http\r\n\r\n')
        })
    })
    const port = await listen(server)
    const egress = createEgress({
      allowedHosts: parseAllowedHosts('wiki.corp'),
      resolve: async () => ['127.0.0.1'],
    })
    t.after(() => egress.close().then(() => server.close()))
    const error = await refusalOf(egress.request(new URL(`https://wiki.corp:${port}/`), {}, never))
    assert.match(error.message, /does not use https/)
    assert.ok((await greeting).includes('wiki.corp'))
  })

  test('says that nothing listens', async (t) => {
    const server = createServer()
    const port = await listen(server)
    await new Promise((done) => server.close(done))
    const egress = createEgress({ allowedHosts: parseAllowedHosts('127.0.0.1') })
    t.after(() => egress.close())
    const error = await refusalOf(egress.request(new URL(`http://127.0.0.1:${port}/`), {}, never))
    assert.equal(error.code, 'source_unreachable')
    assert.match(error.message, /connection refused/)
  })
})

async function listen(server: Server | ReturnType<typeof createSocketServer>): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}
