import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type Certificates,
  type IssuedCertificate,
  makeCertificates,
} from '../../../test/world/certificates.ts'
import { startFaultProxy } from '../../../test/world/search-engine/fault-proxy.ts'
import { silent } from '../../../test/world/search-engine/fresh-index.ts'
import { startTlsCluster } from '../../../test/world/search-engine/tls-cluster.ts'
import type { CheckReport } from '../../report.ts'
import type { Destination } from '../destination.ts'
import type { TlsTrust } from '../egress/connect.ts'
import { createEgress } from '../egress/guard.ts'
import { type SelfManagedConfig, selfManagedConfig, selfManagedSearchindex } from './self-managed.ts'
import { searchindex } from './type.ts'

const { signal } = new AbortController()
const good = { hosts: ['http://localhost:9200'], search_api_key: 'abc', index_name: 'wiki' }
const { search_api_key: _, ...anonymous } = good
const user = { username: 'elastic', password: 'p:w' }
const problems = (config: object) =>
  selfManagedConfig
    .safeParse(config)
    .error?.issues.map(({ path, message }) => `${String(path[0])}: ${message}`) ?? []

describe('the config of a self-managed cluster', () => {
  test('accepts a key, or a user name and a password, and names both modes if it is neither', () => {
    assert.deepEqual(problems(good), [])
    assert.deepEqual(problems({ ...anonymous, ...user }), [])
    const modes = /set either search_api_key, or username and password/
    for (const config of [
      anonymous,
      { ...good, ...user },
      { ...good, password: 'x' },
      { ...anonymous, username: 'elastic' },
      { ...anonymous, password: 'x' },
    ]) {
      assert.match(problems(config)[0] ?? '', modes, JSON.stringify(config))
    }
    assert.match(problems({ ...anonymous, username: 'a:b', password: 'x' })[0] ?? '', /^username: .*colon/)
  })

  test('accepts hosts or a cloud id, but not both', () => {
    const cloud_id = `name:${btoa('eu.aws.elastic-cloud.com:9243$cluster$kibana')}`
    const { hosts, ...rest } = good
    assert.deepEqual(problems({ ...rest, cloud_id }), [])
    assert.match(problems(rest)[0] ?? '', /^hosts: is required, unless cloud_id/)
    assert.match(problems({ ...good, cloud_id })[0] ?? '', /^cloud_id: replaces hosts/)
    for (const wrong of ['name:', 'name:!!!', `name:${btoa('a.test/evil$b')}`, `name:${btoa('only')}`])
      assert.match(problems({ ...rest, cloud_id: wrong })[0] ?? '', /^cloud_id: is not a cloud id/, wrong)
  })

  test('accepts a fingerprint with or without colons, and only one authority', () => {
    const ca_fingerprint = 'AB'.repeat(32)
    const parsed = selfManagedConfig.parse({ ...good, ca_fingerprint: `${'AB:'.repeat(31)}AB` })
    assert.equal(parsed.ca_fingerprint, 'ab'.repeat(32))
    assert.match(problems({ ...good, ca_fingerprint: 'ab' })[0] ?? '', /64 hexadecimal digits/)
    assert.match(
      problems({ ...good, ca_fingerprint, ca_file: 'x' })[0] ?? '',
      /^ca_fingerprint: replaces ca_file/,
    )
  })

  test('is only for the command line: the service refuses its fields', () => {
    const inService = searchindex.schema.safeParse({ ...anonymous, ...user })
    assert.equal(inService.success, false)
    assert.deepEqual(selfManagedSearchindex.refuse(good as never, createEgress()), [])
  })
})

describe('a cluster with its own certificate authority', () => {
  let certificates: Certificates
  let authority: IssuedCertificate
  let other: IssuedCertificate
  let server: IssuedCertificate
  before(async () => {
    certificates = await makeCertificates()
    authority = await certificates.authority('authority.test')
    other = await certificates.authority('authority.test')
    server = await certificates.server('cluster.test', authority)
  })
  after(() => certificates[Symbol.asyncDispose]())

  test('is trusted only with the file of its authority', async () => {
    await using cluster = await startTlsCluster(server, [server, authority], 'wiki')
    const ca_file = await certificates.file(authority.certificate)
    assert.equal(await reason(cluster.port, { ca_file }), null)
    assert.match(cluster.seen[0]?.authorization ?? '', /^ApiKey /)
    const otherAuthority = await reason(cluster.port, { ca_file: await certificates.file(other.certificate) })
    assert.match(otherAuthority ?? '', /authority that is not trusted here.*ca_file or ca_fingerprint/)
    assert.match((await reason(cluster.port, {})) ?? '', /not trusted here.*ca_file or ca_fingerprint/)
  })

  test('is trusted only with the fingerprint of its authority', async () => {
    await using cluster = await startTlsCluster(server, [server, authority], 'wiki')
    assert.equal(await reason(cluster.port, { ca_fingerprint: authority.fingerprint }), null)
    const wrong = await reason(cluster.port, { ca_fingerprint: other.fingerprint })
    assert.match(
      wrong ?? '',
      /none of its certificates matches the fingerprint.*ca_fingerprint.*openssl x509/,
    )
    const leaf = await reason(cluster.port, { ca_fingerprint: server.fingerprint })
    assert.match(leaf ?? '', /belongs to the server's own certificate, not to the authority/)
    await using withoutAuthority = await startTlsCluster(server, [server], 'wiki')
    const missing = await reason(withoutAuthority.port, { ca_fingerprint: authority.fingerprint })
    assert.match(missing ?? '', /none of its certificates matches/)
  })

  for (const kind of ['ca_file', 'ca_fingerprint'] as const) {
    test(`shares its authority with no other host, by ${kind}`, async () => {
      const elsewhere = await certificates.server('elsewhere.test', authority)
      await using other = await startTlsCluster(elsewhere, [elsewhere, authority], 'wiki')
      await using cluster = await startTlsCluster(server, [server, authority], 'wiki')
      const { certificate, fingerprint } = authority
      const trust =
        kind === 'ca_file'
          ? { ca_file: await certificates.file(certificate) }
          : { ca_fingerprint: fingerprint }
      const tls = await trusted(parsed({ hosts: [`https://cluster.test:${cluster.port}`], ...trust }))
      const egress = createEgress({ publicOnly: false, tls, resolve: async () => ['127.0.0.1'] })
      const request = (url: string) => egress.request(new URL(url), {}, signal)
      try {
        await request(`https://cluster.test:${cluster.port}/`)
        await assert.rejects(request(`https://elsewhere.test:${other.port}/`), /not trusted here/)
        await assert.rejects(request(`https://cluster.test:${other.port}/`), /not trusted here/)
        assert.deepEqual(other.seen, [])
      } finally {
        await egress.close()
      }
    })
  }

  test('is its own authority if its certificate is self-signed', async () => {
    const selfSigned = await certificates.authority('cluster.test')
    await using cluster = await startTlsCluster(selfSigned, [selfSigned], 'wiki')
    assert.equal(await reason(cluster.port, { ca_fingerprint: selfSigned.fingerprint }), null)
    assert.equal(
      await reason(cluster.port, { ca_file: await certificates.file(selfSigned.certificate) }),
      null,
    )
  })

  test('is not trusted for sending the certificate of an authority that did not sign its own', async () => {
    const impostor = await certificates.server('cluster.test', other)
    await using cluster = await startTlsCluster(impostor, [impostor, authority], 'wiki')
    assert.ok(await reason(cluster.port, { ca_fingerprint: authority.fingerprint }))
    assert.deepEqual(cluster.seen, [], 'no request, and so no key, was sent')
  })

  for (const kind of ['ca_file', 'ca_fingerprint'] as const) {
    test(`gets a fix if its certificate has expired or is for another name, by ${kind}`, async () => {
      const { certificate, fingerprint } = authority
      const trust =
        kind === 'ca_file'
          ? { ca_file: await certificates.file(certificate) }
          : { ca_fingerprint: fingerprint }
      const old = await certificates.server('cluster.test', authority, -1)
      await using expired = await startTlsCluster(old, [old, authority], 'wiki')
      assert.match((await reason(expired.port, trust)) ?? '', /has expired\. Renew the cluster's certificate/)
      const elsewhere = await certificates.server('elsewhere.test', authority)
      await using misnamed = await startTlsCluster(elsewhere, [elsewhere, authority], 'wiki')
      assert.match((await reason(misnamed.port, trust)) ?? '', /for another name\. Use the name in hosts/)
      assert.deepEqual([...expired.seen, ...misnamed.seen], [])
    })
  }

  test('names the path of a CA file that cannot be used', async () => {
    const trust = (ca_file: string) => selfManagedSearchindex.trust?.(parsed({ ca_file }) as never)
    const missing = { code: 'invalid_request', message: /ca_file \/nowhere\/ca\.pem: there is no such file/ }
    await assert.rejects(trust('/nowhere/ca.pem') ?? Promise.resolve(), missing)
    const text = await certificates.file('not a certificate')
    await assert.rejects(trust(text) ?? Promise.resolve(), {
      message: new RegExp(`${text}: it holds no cert`),
    })
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    await assert.rejects(
      trust(await certificates.file(broken)) ?? Promise.resolve(),
      /it holds no certificate/,
    )
  })
})

describe('a cluster by http', () => {
  test('is reached by http with the user name and password', async () => {
    const proxy = await startFaultProxy('http://127.0.0.1:1')
    proxy.on(() => ({ status: 401, body: { error: { type: 'security_exception' } } }))
    const config = parsed({ hosts: [proxy.url], search_api_key: undefined, ...user })
    const report = await withDestination(config, (destination) => destination.check(signal))
    assert.match(
      report.reason ?? '',
      /user name with its password is not accepted\. Check the user name and the password/,
    )
    assert.equal(proxy.seen[0]?.headers.authorization, `Basic ${btoa('elastic:p:w')}`)
    assert.doesNotMatch(JSON.stringify(report), /p:w/)
    await proxy.close()
  })
})

function parsed(more: object): SelfManagedConfig {
  return selfManagedConfig.parse({ ...good, ...more })
}

async function trusted(config: SelfManagedConfig): Promise<TlsTrust> {
  return (await selfManagedSearchindex.trust?.(config as never)) ?? assert.fail('it has no trust settings')
}

/** As on the command line: one egress per connector, with the trust of its settings. */
async function withDestination<T>(
  config: SelfManagedConfig,
  use: (destination: Destination) => Promise<T>,
): Promise<T> {
  const tls = await trusted(config)
  const egress = createEgress({ publicOnly: false, tls, resolve: async () => ['127.0.0.1'] })
  const destination = await selfManagedSearchindex.open(config as never, { egress, log: silent })
  try {
    return await use(destination)
  } finally {
    await destination.close()
    await egress.close()
  }
}

/** Why the TLS connection failed, or null if a request was sent; the test server is not a cluster. */
async function reason(port: number, more: object): Promise<string | null> {
  const config = parsed({ hosts: [`https://cluster.test:${port}`], ...more })
  const report: CheckReport = await withDestination(config, (destination) => destination.check(signal))
  const [first] = report.steps
  return first?.detail.includes('neither Elasticsearch') ? null : (report.reason ?? '')
}
