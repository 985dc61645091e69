import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Config, MASK, mergeUpdate, parseConfig, splitSecrets } from '../describe.ts'
import { parseAllowedHosts } from '../egress/allowed-hosts.ts'
import { createEgress } from '../egress/guard.ts'
import { postgresConfig, refuseServer, sslModeOf, tableOf } from './config.ts'
import { postgres } from './type.ts'

const settings = { host: 'db.example.com', database: 'search', username: 'writer', password: 'secret' }
const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIUE/NX+WSYulP1cYp5B24rf4v4PIswCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYTAgFw0yNjExMTYxNjAyMzNaGA8yMTI2MTAyMzE2MDIzM1ow
DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABF5g0+VpSEBg
dJk6TD3LQgfCCzUpoc6U8fh+oH+CKTNzAk+rf/KnQ8QjDPml+7GsnYkukCQBtwUq
7z9FP1NsCJWjUzBRMB0GA1UdDgQWBBTvCTfgkmUcxRT4OZgPcSt9ksQ5IDAfBgNV
HSMEGDAWgBTvCTfgkmUcxRT4OZgPcSt9ksQ5IDAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0gAMEUCIQDp8hRVLG8gutUMHa1+FYTWRPVEUCz4Ptx5mMu8q/5R
SAIgYvgL560h0NAmPaxj2fJwVmM/mf7mnDIrG0bz3vx8oW0=
-----END CERTIFICATE-----`
const parse = (more: object) => postgresConfig.safeParse({ ...settings, ...more })

describe('the settings', () => {
  test('it fills in port, table, encryption and batch size', () => {
    const { host: _, ...rest } = postgresConfig.parse(settings)
    assert.deepEqual(rest, {
      ...{ database: 'search', username: 'writer', password: 'secret' },
      ...{ port: 5432, table_name: 'elements', batch_size: 100 },
    })
    assert.equal(postgresConfig.parse({ ...settings, port: '6543' }).port, 6543)
  })

  const wrong = {
    host: ['', 'https://db.example.com', 'db.example.com:5432', 'a@b', 'a/b', 'a b', '[::1]', '/var/run'],
    port: [0, 65536, 1.5, 'x'],
    table_name: ['', 'a.b.c', '.a', 'a.', 'a"b', 'pg_catalog.x', 'é'.repeat(32)],
    ca_certificate: [
      ...['', 'abc', '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----'],
      ...['-----BEGIN CERTIFICATE-----'.repeat(36_000), `${AUTHORITY}\n`.repeat(200)],
      ...['PRIVATE KEY', 'EC PRIVATE KEY'].map(
        (kind) => `${AUTHORITY}\n-----BEGIN ${kind}-----\nx\n-----END ${kind}-----`,
      ),
    ],
    username: ['', 'a\0b', 'x'.repeat(64)],
    ssl_mode: ['require'],
    batch_size: [0, 1001],
  }
  for (const [field, values] of Object.entries(wrong))
    for (const value of values)
      test(`it refuses ${field} ${JSON.stringify(value).slice(0, 40)}`, () => {
        const issues = parse({ [field]: value }).error?.issues ?? []
        assert.deepEqual([...new Set(issues.map(({ path }) => path[0]))], [field])
      })

  test('it reads a table without a schema as one of public', () => {
    assert.deepEqual(tableOf({ table_name: 'elements' }), { schema: 'public', table: 'elements' })
    assert.deepEqual(tableOf({ table_name: 'a.b' }), { schema: 'a', table: 'b' })
  })
})

describe('the hosts', () => {
  const allowedHosts = parseAllowedHosts('10.0.0.5:5432,db.corp')
  const egress = createEgress({ allowedHosts })
  after(() => egress.close())
  const refusal = (more: object) =>
    refuseServer(postgresConfig.parse({ ...settings, ...more }), egress).map(({ field, msg }) => [field, msg])

  test('it allows public hosts with a verified certificate, and the hosts of the operator', () => {
    for (const more of [{}, { host: '10.0.0.5', ssl_mode: 'disable' }, { host: 'db.corp', port: 1234 }])
      assert.deepEqual(refusal(more), [])
  })

  test('it refuses private addresses, this machine, other ports and clear text, and names the variable', () => {
    for (const more of [
      ...['127.0.0.1', 'localhost', '::1', '169.254.169.254', '2130706433'].map((host) => ({ host })),
      { host: '10.0.0.5', port: 22 },
      { ssl_mode: 'disable' },
    ])
      assert.match(String(refusal(more)), /MILLRACE_ALLOWED_HOSTS/, JSON.stringify(more))
  })

  test('it verifies public servers, and prefers encryption for private ones', () => {
    const mode = (more: object) => sslModeOf(postgresConfig.parse({ ...settings, ...more }))
    for (const host of ['127.0.0.1', '::1', 'localhost', '10.1.2.3', 'db', '2130706433'])
      assert.equal(mode({ host }), 'prefer', host)
    for (const host of ['db.example.com', '8.8.8.8', '2600::1', 'localhost.example'])
      assert.equal(mode({ host }), 'verify-full', host)
    assert.equal(mode({ host: 'db', ssl_mode: 'verify-full' }), 'verify-full')
  })

  test('it refuses the sandbox where it is off', () => {
    assert.match(String(refusal({ host: 'sandbox.millrace.internal' })), /MILLRACE_SANDBOX/)
    assert.notEqual(egress.refusal(new URL('https://sandbox.millrace.internal')), null)
  })
})

describe('a stored password', () => {
  const egress = createEgress({ allowedHosts: parseAllowedHosts('10.0.0.5') })
  after(() => egress.close())
  const base = { ...settings, host: '10.0.0.5' }
  const update = (before: Config, after: Config) => {
    const { config, wireNames } = parseConfig(postgres, { ...base, ...before }, { egress })
    const stored = { ...splitSecrets(postgres, config), wireNames }
    const input = { ...base, ...before, password: MASK, ...after }
    return mergeUpdate(postgres, stored, { input, egress }).config
  }

  test('it stays with the same server', () => {
    for (const after of [{ port: '5432' }, { database: 'b' }, { table_name: 'b' }, { username: 'b' }])
      assert.equal(update({}, after).password, 'secret')
    assert.equal(update({ ca_certificate: AUTHORITY }, { batch_size: 5 }).password, 'secret')
  })

  test('it is needed again for another host, port, encryption or authority', () => {
    const changes: [before: Config, after: Config][] = [
      [{}, { host: 'db.example.com' }],
      [{}, { port: 5433 }],
      [{ ssl_mode: 'verify-full' }, { ssl_mode: 'disable' }],
      [{ ssl_mode: 'verify-full' }, { ssl_mode: null }],
      [{}, { ca_certificate: AUTHORITY }],
      // Without it, the server is no longer verified.
      [{ ca_certificate: AUTHORITY }, { ca_certificate: null }],
    ]
    for (const [before, after] of changes)
      assert.throws(() => update(before, after), { code: 'invalid_request' }, JSON.stringify(after))
  })
})
