import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { type Api, type ApiResponse, apiOf } from '../world/api.ts'
import { type Certificates, type IssuedCertificate, makeCertificates } from '../world/certificates.ts'
import { provideServer } from '../world/debian-packages.ts'
import { type TestDestination, testDestination } from '../world/destination.ts'
import { makeFlow, run, until } from '../world/flow.ts'
import { makeNamespaces, type Namespaces } from '../world/namespaces.ts'
import { migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'
import { accounts } from '../world/wiki/accounts.ts'
import type { World } from '../world/world.ts'

const WIKI = 'wiki.corp.example'
const HOOKS = 'hooks.corp.example'
const PAGES = 12
const PROXY_PORT = 3128
const PASSWORD = 'tiny-secret-1'

/** The service runs in a network whose only way out is a proxy; the wiki has a certificate of a private authority. */
describe('a service behind a proxy', () => {
  let namespaces: Namespaces
  let certificates: Certificates
  let authority: IssuedCertificate
  let hooksAuthority: IssuedCertificate
  let database: Awaited<ReturnType<typeof migratedDatabase>>
  let destination: TestDestination
  let caFile: string
  const services: Millrace[] = []
  const apis: Api[] = []
  const closers: (() => Promise<unknown>)[] = []

  before(async () => {
    const tinyproxy = await provideServer('tinyproxy', 'tinyproxy-bin')
    namespaces = await makeNamespaces([WIKI, HOOKS])
    closers.push(() => namespaces.remove())
    certificates = await makeCertificates()
    closers.push(async () => certificates[Symbol.asyncDispose]())
    const { outside, office } = namespaces
    const node = (file: string, ...args: string[]) =>
      namespaces.start(outside.name, [process.execPath, join(import.meta.dirname, '../world', file), ...args])
    const wiki = node('wiki/main.ts', '--large', String(PAGES))
    const [line] = await once(createInterface({ input: wiki.stdout! }), 'line')
    const port = Number(new URL(JSON.parse(line).dataCenterUrl).port)
    authority = await certificates.authority('Corp CA')
    hooksAuthority = await certificates.authority('Hooks CA')
    caFile = await certificates.file(hooksAuthority.certificate)
    const sites = [
      { name: WIKI, port, ...(await certificates.server(WIKI, authority)) },
      { name: HOOKS, port, ...(await certificates.server(HOOKS, hooksAuthority)) },
    ]
    const front = node('tls-front.ts', '443', await certificates.file(JSON.stringify(sites)))
    await once(front.stdout!, 'data')
    const config = [
      `Port ${PROXY_PORT}`,
      `Listen ${outside.address}`,
      `Allow ${office.address}`,
      `BasicAuth mill ${PASSWORD}`,
      'ConnectPort 443',
      'Timeout 600',
      'MaxClients 50',
      'LogLevel Info',
    ]
    const proxy = namespaces.start(outside.name, [
      tinyproxy,
      '-d',
      '-c',
      await certificates.file(`${config.join('\n')}\n`),
    ])
    for await (const logged of createInterface({ input: proxy.stdout! }))
      if (/Accepting connections/i.test(logged)) break
    proxy.stdout?.resume()

    database = await migratedDatabase()
    closers.push(() => database.drop())
    destination = await testDestination('searchindex')
    closers.push(() => destination.close())
    await destination.create()
    for (const url of [database.url, `http://${destination.host}`])
      await namespaces.relay(Number(new URL(url).port), { from: office.name, to: null })
  })
  after(async () => {
    await Promise.all(services.map((each) => each.end('SIGKILL')))
    for (const close of closers.reverse()) await close()
  })

  async function start(proxyUrl: string, env: Record<string, string> = {}): Promise<Api> {
    const millrace = await startMillrace({
      databaseUrl: database.url,
      allowedHosts: [destination.host],
      namespace: namespaces.office.name,
      env: { MILLRACE_EGRESS_PROXY: proxyUrl, MILLRACE_CA_FILE: caFile, ...env },
    })
    services.push(millrace)
    const port = Number(new URL(millrace.url ?? '').port)
    const api = apiOf(
      `http://127.0.0.1:${await namespaces.relay(port, { from: null, to: namespaces.office.name })}`,
    )
    apis.splice(0, apis.length, api)
    return api
  }
  const stop = async () => {
    for (const each of services.splice(0)) await each.end('SIGKILL')
  }
  const proxyUrl = (password: string) => `http://mill:${password}@${namespaces.outside.address}:${PROXY_PORT}`
  /** What the helpers of other journeys need of a world. */
  const worldOf = (api: Api) =>
    ({ api, destination, wiki: { siteUrl: `https://${WIKI}/confluence` } }) as unknown as World
  const dataCenter = (ca: string | null) => ({
    username: '',
    token: accounts.crawler.pat,
    cloud: false,
    ca_certificate: ca,
  })
  type Check = { status: string; reason: string | null; steps: { detail: string }[] }
  /** The text of a connection check. */
  async function check(api: Api, sourceId: string): Promise<string> {
    const path = `/sources/${sourceId}/connection-check`
    assert.equal((await api.post(path)).status, 202)
    const done = (body: Check) => !['SCHEDULED', 'IN_PROGRESS'].includes(body.status)
    return JSON.stringify(await until(async () => (await api.get<Check>(path)).body, done))
  }

  test('it reads the wiki through the proxy and trusts an authority for one source', async () => {
    const api = await start(proxyUrl(PASSWORD))
    const flow = await makeFlow(worldOf(api), { source: dataCenter(authority.certificate) })
    const result = await run(worldOf(api), flow)
    assert.equal(result.status, 'COMPLETED', JSON.stringify(result))
    assert.equal(result.details.counts.new, PAGES)
    await destination.refresh()
    assert.ok((await destination.contents()).length >= PAGES)
  })

  test('it names the authority and the settings if the certificate cannot be verified', async () => {
    const [api] = apis
    assert.ok(api)
    // The authority of MILLRACE_CA_FILE is trusted, but did not sign the certificate of the wiki.
    for (const [name, ca] of [
      ['wrong', hooksAuthority.certificate],
      ['none', null],
    ] as const) {
      const config = { url: `https://${WIKI}/confluence`, ...dataCenter(ca) }
      const answer = await api.post<{ id: string }>('/sources', { name, type: 'wiki', config })
      const text = await check(api, answer.body.id)
      assert.match(text, /signed by an authority that is not trusted here/)
      assert.match(text, /settings of the source, or the service operator adds it to MILLRACE_CA_FILE/)
    }
  })

  test('it refuses a private key and text that is no certificate', async () => {
    const [api] = apis
    assert.ok(api)
    for (const [ca, message] of [
      [authority.key, /ca_certificate must not contain a private key, only certificates/],
      ['nonsense', /ca_certificate must be in PEM, with -----BEGIN CERTIFICATE----- in it/],
    ] as const) {
      const config = { url: `https://${WIKI}/confluence`, ...dataCenter(ca) }
      const answer: ApiResponse = await api.post('/sources', { name: 'refused', type: 'wiki', config })
      assert.equal(answer.status, 422, answer.text)
      assert.match(answer.text, message)
      assert.doesNotMatch(answer.text, /BEGIN EC PRIVATE/)
    }
  })

  test('it names the proxy if it does not allow a host, or cannot connect to it', async () => {
    const [api] = apis
    assert.ok(api)
    for (const [url, message] of [
      [`https://${WIKI}:8443`, /:8443: the egress proxy does not allow this host \(403\)/],
      ['https://unknown.corp.example', /the egress proxy could not connect to it \(50\d\)/],
    ] as const) {
      const config = { ...dataCenter(null), url }
      const answer = await api.post<{ id: string }>('/sources', { name: url, type: 'wiki', config })
      const text = await check(api, answer.body.id)
      assert.match(text, message)
      assert.match(text, /NO_PROXY/)
    }
  })

  test('it names the proxy if that rejects the credentials, and never logs the password', async () => {
    // tinyproxy answers wrong credentials with 401 and missing ones with 407.
    for (const [address, status] of [
      [proxyUrl('wrong-secret-2'), 401],
      [proxyUrl('').replace('mill:@', ''), 407],
    ] as const) {
      await stop()
      const api = await start(address, { LOG_LEVEL: 'debug' })
      const { body } = await api.get<{ id: string; name: string }[]>('/sources')
      const text = await check(api, body.find(({ name }) => name === 'wiki')?.id ?? '')
      assert.ok(text.includes(`the egress proxy rejected the credentials (${status})`), text)
      assert.match(text, /user name and the password in MILLRACE_EGRESS_PROXY/)
      const log = services.flatMap(({ lines }) => lines).join('\n')
      for (const secret of ['wrong-secret-2', Buffer.from('mill:wrong-secret-2').toString('base64')])
        assert.ok(!log.includes(secret) && !text.includes(secret))
    }
  })

  test('it trusts the authorities of MILLRACE_CA_FILE for every host', async () => {
    await stop()
    const both = await certificates.file(`${hooksAuthority.certificate}${authority.certificate}`)
    const api = await start(proxyUrl(PASSWORD), { MILLRACE_CA_FILE: both })
    const { body } = await api.get<{ id: string; name: string }[]>('/sources')
    const text = await check(api, body.find(({ name }) => name === 'none')?.id ?? '')
    assert.match(text, /"status":"SUCCESS"/)
  })

  test('it does not start with unusable settings', async () => {
    for (const [env, message] of [
      [{ MILLRACE_CA_FILE: '/does/not/exist' }, /^millrace: MILLRACE_CA_FILE must be .* does not exist$/m],
      [{ MILLRACE_EGRESS_PROXY: 'proxy:3128' }, /^millrace: MILLRACE_EGRESS_PROXY must be an http/m],
    ] as const)
      await assert.rejects(startMillrace({ env }), ({ message: text }: Error) => {
        assert.match(text, /ended with 2/)
        assert.match(text, message)
        return true
      })
  })
})
