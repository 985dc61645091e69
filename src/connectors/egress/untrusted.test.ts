import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect as dial } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { AppError } from '../../errors.ts'
import { parseAllowedHosts } from './allowed-hosts.ts'
import type { ConnectTarget } from './connect.ts'
import { createEgress, type EgressOptions } from './guard.ts'

const never = new AbortController().signal
const reading = { maxBytes: 1000, timeoutMs: 60_000, accept: 'image/*' }
const everything: EgressOptions[] = [
  { publicOnly: false },
  { allowedHosts: parseAllowedHosts('*.corp,10.0.0.5,127.0.0.1,localhost,169.254.169.254') },
]

/** Records connections and opens none. */
function recorded(options: EgressOptions) {
  const targets: ConnectTarget[] = []
  const egress = createEgress({
    ...options,
    connect: (target, callback) => {
      targets.push(target)
      callback(Object.assign(new Error('recorded'), { code: 'ECONNREFUSED' }), null)
    },
  })
  return { untrusted: egress.untrusted, targets }
}

/** Every address connects to this server, which distinguishes hosts by name. */
async function internet(t: TestContext, pages: Record<string, { location: string } | string>) {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    const page = pages[`${request.headers.host}${request.url}`]!
    if (typeof page === 'string') response.end(page)
    else response.writeHead(302, { location: page.location, 'set-cookie': 'session=canary' }).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const egress = createEgress({
    publicOnly: false,
    resolve: async (host) => (host.endsWith('.inside') ? ['10.0.0.1'] : ['8.8.8.8']),
    connect: (_, callback) => {
      const socket = dial(port, '127.0.0.1', () => callback(null, socket))
    },
  })
  t.after(() => egress.close().then(() => server.close()))
  return { seen, untrusted: egress.untrusted }
}

async function codeOf(action: Promise<unknown>): Promise<string> {
  const error = await action.catch((error) => error)
  assert.ok(error instanceof AppError, String(error))
  return error.code
}

describe('the client for untrusted addresses', () => {
  for (const options of everything) {
    const setting = options.publicOnly === false ? 'everything is allowed' : 'the operator allows them'
    test(`refuses private addresses although ${setting}`, async () => {
      const { untrusted, targets } = recorded({ ...options, resolve: async () => ['8.8.8.8', '10.0.0.5'] })
      const urls = ['http://10.0.0.5/', 'https://127.0.0.1:9200/', 'http://localhost/', 'http://[::1]/']
      for (const url of [
        ...urls,
        'http://169.254.169.254/latest',
        'file:///etc/passwd',
        'http://a:b@c.de/',
      ]) {
        const refusal = untrusted.refusal(new URL(url))
        assert.ok(refusal, url)
        assert.doesNotMatch(refusal, /MILLRACE/)
        assert.equal(await codeOf(untrusted.request(new URL(url), reading, never)), 'egress_refused', url)
      }
      assert.equal(
        await codeOf(untrusted.request(new URL('http://wiki.corp/'), reading, never)),
        'egress_refused',
      )
      assert.deepEqual(targets, [])
    })
  }

  test('reaches public addresses, also by http', async () => {
    const { untrusted, targets } = recorded({ resolve: async () => ['8.8.8.8'] })
    for (const url of ['http://pictures.example/a.png', 'https://pictures.example/a.png']) {
      assert.equal(untrusted.refusal(new URL(url)), null)
      assert.equal(await codeOf(untrusted.request(new URL(url), reading, never)), 'source_unreachable')
    }
    assert.deepEqual(
      targets.map(({ addresses, protocol }) => [addresses, protocol]),
      [
        [['8.8.8.8'], 'http:'],
        [['8.8.8.8'], 'https:'],
      ],
    )
  })

  test('checks every redirect', async (t) => {
    const { seen, untrusted } = await internet(t, {
      'a.example/name': { location: 'http://wiki.inside/secret' },
      'a.example/address': { location: 'http://127.0.0.1/secret' },
      'a.example/away': { location: 'http://b.example/picture' },
      'b.example/picture': 'picture',
    })
    const get = (path: string) => untrusted.request(new URL(`http://a.example${path}`), reading, never)
    assert.equal(await codeOf(get('/name')), 'egress_refused')
    assert.equal(await codeOf(get('/address')), 'egress_refused')
    assert.equal(await (await get('/away')).text(), 'picture')
    assert.deepEqual(
      seen.map(({ headers, url }) => `${headers.host}${url}`),
      ['a.example/name', 'a.example/address', 'a.example/away', 'b.example/picture'],
    )
  })

  test('sends nothing that identifies the caller, and keeps no cookie', async (t) => {
    const { seen, untrusted } = await internet(t, {
      'a.example/1': { location: '/2' },
      'a.example/2': 'picture',
    })
    // Callers could pass more than the type allows.
    const more = { headers: { authorization: 'canary' }, cookie: 'canary' }
    await untrusted.request(new URL('http://a.example/1'), { ...reading, ...more }, never)
    for (const { headers } of seen) {
      const names = ['accept', 'accept-encoding', 'connection', 'host', 'user-agent']
      assert.deepEqual(Object.keys(headers).sort(), names)
      assert.doesNotMatch(JSON.stringify(headers), /canary/)
    }
  })
})
