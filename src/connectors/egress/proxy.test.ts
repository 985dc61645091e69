import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import {
  type Certificates,
  type IssuedCertificate,
  makeCertificates,
} from '../../../test/world/certificates.ts'
import { openClient } from '../searchindex/client.ts'
import { byApiKey } from '../searchindex/config.ts'
import { parseAllowedHosts } from './allowed-hosts.ts'
import { createEgress, type EgressOptions } from './guard.ts'
import { networkSettingsOf } from './network-settings.ts'
import { openTunnel } from './proxy.ts'
import { trustedFetch } from './trusted-fetch.ts'

const NAME = 'wiki.corp.example'
const signal = new AbortController().signal

describe('the egress proxy', () => {
  const servers: Server[] = []
  const asked: IncomingMessage[] = []
  let certificates: Certificates
  let authority: IssuedCertificate
  let proxyPort: number
  let insidePort: number
  let status = 200

  const listen = async (server: Server): Promise<number> => {
    servers.push(server.listen(0, '127.0.0.1'))
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  before(async () => {
    certificates = await makeCertificates()
    authority = await certificates.authority('Corp CA')
    const { key, certificate: cert } = await certificates.server(NAME, authority)
    const inside = createTlsServer({ key, cert }, (request, response) =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ path: request.url, tagline: 'You Know, for Search' })),
    )
    insidePort = await listen(inside)
    const proxy = createServer()
    proxy.on('connect', (request: IncomingMessage, client: Socket) => {
      asked.push(request)
      if (status !== 200) return client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
      const target = connect(insidePort, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        target.pipe(client).pipe(target)
      })
      client.on('error', () => target.destroy())
      target.on('error', () => client.destroy())
    })
    proxyPort = await listen(proxy)
  })
  after(async () => {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
    await certificates[Symbol.asyncDispose]()
  })

  const proxyAt = (address: string, more: { noProxy?: string; allowed?: string } = {}) =>
    networkSettingsOf(
      {
        MILLRACE_EGRESS_PROXY: new URL(address),
        ...(more.noProxy === undefined ? {} : { NO_PROXY: more.noProxy }),
      },
      parseAllowedHosts(more.allowed ?? ''),
    ).proxy
  async function open<T>(
    options: EgressOptions & { address?: string },
    use: (egress: ReturnType<typeof createEgress>) => Promise<T>,
  ): Promise<T> {
    asked.length = 0
    const { address = `http://ada:p%40ss@127.0.0.1:${proxyPort}`, ...rest } = options
    const egress = createEgress({ proxy: proxyAt(address), resolve: refuseLookup, ...rest })
    try {
      return await use(egress)
    } finally {
      await egress.close()
    }
  }
  const refuseLookup = async (): Promise<string[]> => assert.fail('the proxy resolves names')
  const trust = () => ({ hosts: [`${NAME}:8443`], certificates: [authority.certificate] })

  test('connects by CONNECT with its credentials, and checks the certificate of the target', async () => {
    await open({}, async (egress) => {
      const own = egress.trusting(trust())
      const response = await own.request(new URL(`https://${NAME}:8443/a`), {}, signal)
      assert.equal(JSON.parse(await response.text()).path, '/a')
      await own.close()
      assert.equal(asked.length, 1)
      assert.equal(asked[0]?.url, `${NAME}:8443`)
      const expected = `Basic ${Buffer.from('ada:p@ss').toString('base64')}`
      assert.equal(asked[0]?.headers['proxy-authorization'], expected)
      await assert.rejects(egress.request(new URL(`https://${NAME}:8443/`), {}, signal), {
        code: 'source_unreachable',
        message: /authority that is not trusted here/,
        fix: /settings of the source, .* MILLRACE_CA_FILE/,
      })
    })
  })

  test('says so if the proxy accepts a connection and stays silent', async () => {
    const silent = createServer()
    silent.on('connect', () => {})
    const proxy = proxyAt(`http://127.0.0.1:${await listen(silent)}`)
    assert.ok(proxy)
    await assert.rejects(openTunnel(proxy, { hostname: NAME, port: 8443 }, 50), {
      code: 'source_unreachable',
      message: `connecting to ${NAME}:8443: the egress proxy or the host behind it did not respond within 0.05 s`,
    })
  })

  test('does not accept a certificate for another name', async () => {
    await open({}, async (egress) => {
      const own = egress.trusting({ ...trust(), hosts: ['other.example'] })
      const failure = own.request(new URL('https://other.example/'), {}, signal)
      await assert.rejects(failure, { message: /its certificate is for another name/ })
      await own.close()
    })
  })

  test('still refuses private addresses and local names that are not allowed', async () => {
    await open({}, async (egress) => {
      for (const url of [
        'https://10.0.0.5/',
        'https://[fd00::7]/',
        'https://169.254.169.254/',
        'https://metadata.google.internal/',
        'http://wiki.example/',
        'https://127.0.0.1/',
        'https://localhost/',
      ])
        await assert.rejects(egress.request(new URL(url), {}, signal), { code: 'egress_refused' }, url)
      await assert.rejects(
        egress.untrusted.request(
          new URL('http://10.0.0.5/a.png'),
          { accept: '*/*', maxBytes: 10, timeoutMs: 5000 },
          signal,
        ),
        { code: 'egress_refused' },
      )
      assert.equal(asked.length, 0)
    })
  })

  test('reaches allowed hosts directly, and NO_PROXY replaces that', async () => {
    const allowedHosts = parseAllowedHosts(NAME)
    const direct: string[] = []
    const refuse: EgressOptions['connect'] = ({ hostname, addresses }, callback) => {
      direct.push(`${hostname} ${addresses}`)
      callback(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), null)
    }
    const address = `http://127.0.0.1:${proxyPort}`
    const resolve = async () => ['10.0.0.9']
    for (const [proxy, isDirect] of [
      [proxyAt(address, { allowed: NAME }), true],
      [proxyAt(address, { allowed: NAME, noProxy: 'other.example' }), false],
      [proxyAt(address, { noProxy: NAME }), true],
    ] as const) {
      direct.length = 0
      await open({ proxy, allowedHosts, resolve, connect: refuse }, async (egress) => {
        await assert.rejects(egress.request(new URL(`https://${NAME}/`), {}, signal))
        assert.deepEqual(direct, isDirect ? [`${NAME} 10.0.0.9`] : [])
        assert.equal(asked.length, isDirect ? 0 : 1)
      })
    }
    // A direct connection keeps the checks of addresses.
    await open({ proxy: proxyAt(address, { noProxy: NAME }), resolve, connect: refuse }, async (egress) => {
      direct.length = 0
      await assert.rejects(egress.request(new URL(`https://${NAME}/`), {}, signal), {
        code: 'egress_refused',
        message: /resolves to a private address/,
      })
      assert.deepEqual(direct, [])
    })
  })

  const answers: [answer: number, expected: { code: string; message: RegExp; fix: RegExp }][] = [
    [
      407,
      { code: 'egress_refused', message: /rejected the credentials \(407\)/, fix: /MILLRACE_EGRESS_PROXY/ },
    ],
    [
      401,
      { code: 'egress_refused', message: /rejected the credentials \(401\)/, fix: /MILLRACE_EGRESS_PROXY/ },
    ],
    [403, { code: 'egress_refused', message: /does not allow this host \(403\)/, fix: /NO_PROXY/ }],
    [502, { code: 'source_unreachable', message: /could not connect to it \(502\)/, fix: /NO_PROXY/ }],
  ]
  for (const [answer, expected] of answers) {
    test(`names the cause and the setting if the proxy answers ${answer}`, async () => {
      status = answer
      try {
        await open({}, (egress) =>
          assert.rejects(egress.request(new URL(`https://${NAME}/`), {}, signal), expected),
        )
      } finally {
        status = 200
      }
    })
  }

  test('names the setting if the proxy cannot be reached', async () => {
    const free = await listen(createServer())
    await new Promise((resolve) => servers.pop()?.close(resolve))
    await open({ address: `http://127.0.0.1:${free}` }, async (egress) => {
      await assert.rejects(egress.request(new URL(`https://${NAME}/`), {}, signal), {
        code: 'source_unreachable',
        message: `connecting to ${NAME}:443: the egress proxy cannot be used: nothing listens there (connection refused)`,
        fix: /MILLRACE_EGRESS_PROXY/,
      })
    })
  })

  test('carries requests to search clusters and models', async () => {
    status = 403
    try {
      await open({}, async (egress) => {
        const connection = { hosts: ['https://a.es.io'], index: 'wiki', ...byApiKey('k') }
        const client = openClient(connection, egress)
        await assert.rejects(client.once('reading', { method: 'GET', path: '/' }, signal), {
          code: 'egress_refused',
          message: /a\.es\.io:443: the egress proxy does not allow this host/,
        })
        status = 503
        await assert.rejects(client.once('reading', { method: 'GET', path: '/' }, signal), {
          code: 'destination_unreachable',
          message: /index wiki at a\.es\.io: the egress proxy could not connect to it \(503\)/,
          fix: /MILLRACE_EGRESS_PROXY.*NO_PROXY/,
        })
        status = 403
        const models = trustedFetch(['https://models.example'], {
          proxy: proxyAt(`http://127.0.0.1:${proxyPort}`),
        })
        await assert.rejects(models.fetch('https://models.example/v1'), { code: 'egress_refused' })
        await models.close()
        assert.deepEqual(asked.map(({ url }) => url).toSorted(), [
          'a.es.io:443',
          'a.es.io:443',
          'models.example:443',
        ])
      })
    } finally {
      status = 200
    }
  })
})
