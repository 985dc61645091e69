import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import {
  type Certificates,
  type IssuedCertificate,
  makeCertificates,
} from '../../../test/world/certificates.ts'
import { FAST_PACE, type FreshTable, freshTable } from '../../../test/world/fresh-table.ts'
import { openEgress, silent } from '../../../test/world/search-engine/fresh-index.ts'
import { startTlsPostgres } from '../../../test/world/tls-postgres.ts'
import type { SslMode } from './config.ts'
import { openPostgres } from './destination.ts'

const { signal } = new AbortController()
const HOST = 'db.corp.example'

describe('TLS to PostgreSQL', () => {
  let table: FreshTable
  let certificates: Certificates
  let authority: IssuedCertificate
  before(async () => {
    table = await freshTable()
    certificates = await makeCertificates()
    authority = await certificates.authority('Corp authority')
  })
  after(async () => {
    await certificates[Symbol.asyncDispose]()
    await table[Symbol.asyncDispose]()
  })

  /** The reason why a server with this certificate is refused, or null. */
  async function reasonWith(
    certificate: IssuedCertificate,
    { ca, host = HOST, mode = 'verify-full' }: { ca?: IssuedCertificate; host?: string; mode?: SslMode },
  ): Promise<string | null> {
    const server = await startTlsPostgres(table.config, certificate)
    // The name leads to loopback, as with the resolver of a private network.
    const socket = () => {
      const made = new Socket()
      const connect = made.connect.bind(made)
      made.connect = () => connect(server.port, '127.0.0.1')
      return made
    }
    const config = {
      ...{ ...table.config, host, port: server.port, ssl_mode: mode },
      ...(ca ? { ca_certificate: ca.certificate } : {}),
    }
    const destination = openPostgres(config, { egress: { ...openEgress(), socket }, log: silent }, FAST_PACE)
    const report = await destination.check(signal)
    if (report.ok) await destination.prepare({ dims: null }, signal)
    await destination.close()
    await server.close()
    assert.equal(report.ok || report.steps[0]?.status === 'failed', true, JSON.stringify(report))
    return report.reason
  }

  test('it accepts a certificate of the given authority for this name', async () => {
    assert.equal(await reasonWith(await certificates.server(HOST, authority), { ca: authority }), null)
  })

  test('it encrypts without a check of the certificate, and does without, where it is preferred', async () => {
    assert.equal(await reasonWith(await certificates.server('other', authority), { mode: 'prefer' }), null)
    const plain = { ...table.config, ssl_mode: 'prefer' as const }
    const destination = openPostgres(plain, { egress: openEgress(), log: silent }, FAST_PACE)
    await destination.prepare({ dims: null }, signal)
    const identities = await Promise.all(
      Array.from({ length: 4 }, () => destination.prepare({ dims: null }, signal)),
    )
    assert.equal(new Set(identities.map(({ identity }) => identity)).size, 1)
    await destination.close()
  })

  test('it refuses other authorities, other names and expired certificates, with the fix', async () => {
    const other = await certificates.authority('Other authority')
    const server = await certificates.server(HOST, authority)
    const cases: [string | null, RegExp][] = [
      [await reasonWith(server, {}), /not trusted here.*ca_certificate/s],
      [await reasonWith(server, { ca: other }), /not trusted here.*ca_certificate/s],
      [await reasonWith(server, { ca: authority, host: 'db.other.example' }), /for another name/],
      [await reasonWith(server, { ca: authority, host: '127.0.0.1' }), /for another name/],
      [
        await reasonWith(await certificates.server(HOST, authority, -1), { ca: authority }),
        /expired.*Renew the server's certificate/s,
      ],
    ]
    for (const [reason, expected] of cases) assert.match(reason ?? 'accepted', expected)
  })
})
