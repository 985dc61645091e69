import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { after, before, describe, test } from 'node:test'
import {
  FAST_PACE,
  type FreshTable,
  freshTable,
  superuserSql,
  urlOfTable,
} from '../../../test/world/fresh-table.ts'
import { type PostgresProxy, startPostgresProxy } from '../../../test/world/postgres-proxy.ts'
import { openEgress, silent, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import { createEgress } from '../egress/guard.ts'
import type { PostgresConfig } from './config.ts'
import { openPostgres } from './destination.ts'

const { signal } = new AbortController()
/** For a server that stays silent. */
const SILENT_PACE = { ...FAST_PACE, connectMs: 2_000, statementMs: 1_500, graceMs: 500 }
/** For a server that reports its own limit. */
const BUSY_PACE = { ...FAST_PACE, connectMs: 60_000, statementMs: 2_000, graceMs: 60_000 }
const PATIENT_PACE = { ...FAST_PACE, connectMs: 60_000 }
const RECORD = 'wiki.test/1'
let fence = 0

describe('a connection to PostgreSQL', () => {
  let table: FreshTable
  let proxy: PostgresProxy
  let behind: FreshTable
  before(async () => {
    table = await freshTable()
    await table.destination.prepare({ dims: null }, signal)
    proxy = await startPostgresProxy(urlOfTable(table))
    behind = await freshTable({
      url: proxy.url,
      pace: { ...SILENT_PACE, attempts: 6, firstMs: 50, maxMs: 800 },
    })
  })
  after(async () => {
    await behind[Symbol.asyncDispose]()
    await proxy.close()
    await table[Symbol.asyncDispose]()
  })
  const write = (id: string, text?: string) =>
    behind.destination.write([writeItem(id, text === undefined ? {} : { text })], ++fence, signal)
  const isStored = async (id: string) => (await table.source(RECORD, id)) !== undefined

  async function failureWith(settings: Partial<PostgresConfig>, egress = openEgress()) {
    const config = { ...table.config, ...settings }
    const destination = openPostgres(config, { egress, log: silent }, PATIENT_PACE)
    const error = await destination.prepare({ dims: null }, signal).then(
      () => assert.fail('prepared'),
      (thrown: unknown) => thrown,
    )
    const report = await destination.check(signal)
    await destination.close()
    assert.ok(error instanceof AppError, String(error))
    assert.equal(report.ok, false)
    const step = report.steps.find(({ status }) => status === 'failed')
    assert.doesNotMatch(JSON.stringify([error, error.message, error.fix, report]), /wrong-secret/)
    return { code: error.code, message: error.message, fix: error.fix ?? '', step: step?.name, report }
  }

  test('it names the cause of a failed sign-in and what to do', async () => {
    const cases: [Partial<PostgresConfig>, ErrorCode, RegExp, string][] = [
      [
        { password: 'wrong-secret' },
        'destination_unauthorized',
        /the password of millrace is not accepted/,
        'sign-in',
      ],
      [
        { username: 'stranger' },
        'destination_unauthorized',
        /the password of stranger is not accepted/,
        'sign-in',
      ],
      [{ database: 'nowhere' }, 'destination_index_missing', /database nowhere does not exist/, 'sign-in'],
      [{ port: 1 }, 'destination_unreachable', /nothing listens there/, 'reach'],
      [
        { host: 'db.invalid' },
        'destination_unreachable',
        /the host does not exist|could not be resolved/,
        'reach',
      ],
      [{ ssl_mode: 'verify-full' }, 'destination_unreachable', /refuses encrypted connections/, 'reach'],
    ]
    for (const [settings, code, message, step] of cases) {
      const failure = await failureWith(settings)
      assert.equal(failure.code, code, failure.message)
      assert.match(failure.message, message)
      assert.equal(failure.step, step)
      assert.notEqual(failure.fix, '')
    }
  })

  test('it does not reach an address that the egress guard refuses', async () => {
    const egress = createEgress()
    const failure = await failureWith({ ssl_mode: 'verify-full' }, egress)
    await egress.close()
    assert.equal(failure.code, 'egress_refused')
    assert.equal(failure.step, 'reach')
  })

  test('it survives servers that do not speak the protocol', async () => {
    const authenticated = Buffer.from('520000000800000000', 'hex')
    const ready = Buffer.from('5a0000000549', 'hex')
    const unknownSignIn = Buffer.from('520000000800000007', 'hex')
    const answers: Record<string, Buffer> = {
      http: Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'),
      zeros: Buffer.alloc(64),
      'cut row description': Buffer.from('54000000060fff', 'hex'),
      'rows before a question': Buffer.concat([authenticated, ready, Buffer.from('44000000060001', 'hex')]),
      'cut error': Buffer.from('4500000005530000', 'hex'),
      // The parser of the driver would read it for ever.
      'error without an end': Buffer.from('45000000065345', 'hex'),
      'unknown sign-in': unknownSignIn,
      'no answer to the sign-in': Buffer.from('520000000c0000000b00000000', 'hex'),
      random: Buffer.from(Array.from({ length: 500 }, (_, at) => (at * 7919) % 251)),
    }
    for (const [name, answer] of Object.entries(answers)) {
      const server = await listen((socket) => socket.end(answer))
      const failure = await failureWith({ port: portOf(server) })
      server.close()
      assert.equal(failure.code, 'destination_unreachable', name)
      if (name === 'unknown sign-in') assert.match(failure.message, /a sign-in other than a password/)
    }
  })

  test('it does not repeat text of the server', async () => {
    const fields = ['SERROR', 'VERROR', 'C28P01', 'M<script>evil</script>', 'Devil', 'Hevil'].map(
      (each) => `${each}\0`,
    )
    const body = Buffer.from(`${fields.join('')}\0`)
    const head = Buffer.alloc(5)
    head.write('E')
    head.writeInt32BE(body.length + 4, 1)
    const server = await listen((socket) => socket.end(Buffer.concat([head, body])))
    const failure = await failureWith({ port: portOf(server) })
    server.close()
    assert.equal(failure.code, 'destination_unauthorized')
    assert.doesNotMatch(JSON.stringify(failure), /evil/)
  })

  test('it loses nothing if the connection is cut in the middle of a write', async () => {
    for (const bytes of [50, 400, 3000]) {
      proxy.cutAfterBytes(bytes)
      assert.deepEqual(await write(`cut-${bytes}`, 'x'.repeat(5000)), [])
      assert.ok(await isStored(`cut-${bytes}`))
    }
  })

  test('it writes again if the connection is cut at the commit', async () => {
    for (const isForwarded of [true, false]) {
      const cut = proxy.cutAtCommit({ isForwarded })
      assert.deepEqual(await write(`commit-${isForwarded}`), [])
      await cut
      assert.ok(await isStored(`commit-${isForwarded}`))
    }
  })

  test('it waits for a server that restarts', async () => {
    proxy.away()
    const writing = write('restart')
    await new Promise((resolve) => setTimeout(resolve, 100))
    proxy.back()
    assert.deepEqual(await writing, [])
    await table.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'millrace' and datname = current_database()",
    )
    assert.deepEqual(await write('terminated'), [])
  })

  test('it gives up on a server that accepts connections and stays silent', async () => {
    proxy.blackHole()
    await assert.rejects(write('silent'), {
      code: 'destination_unreachable',
      message: /did not respond in time/,
    })
    proxy.back()
    proxy.cut()
    assert.deepEqual(await write('silent'), [])
  })

  test('it reports a table that stays locked, and cancels at once when aborted', async () => {
    const locker = await freshTable({ url: urlOfTable(table) })
    const locked = locker.sql('begin; lock table elements; select pg_sleep(600)').catch(() => {})
    const pid = await lockingProcess(table)
    const destination = openPostgres(table.config, { egress: openEgress(), log: silent }, BUSY_PACE)
    await assert.rejects(destination.write([writeItem('locked')], ++fence, signal), {
      code: 'destination_overloaded',
      message: /the server is busy \(SQLSTATE (55P03|57014)\)/,
    })
    await destination.close()
    const stop = new AbortController()
    const writing = table.destination.write([writeItem('aborted')], ++fence, stop.signal)
    setTimeout(() => stop.abort(new Error('enough')), 100)
    await assert.rejects(writing, { message: 'enough' })
    await untilIdle(table, pid)
    await table.sql('select pg_terminate_backend($1)', [pid])
    await locked
    await locker[Symbol.asyncDispose]()
    assert.deepEqual(await write('after'), [])
  })

  test('it reports a role that has no connection left', async () => {
    const role = `limited_${Date.now()}`
    await superuserSql(table, `create role ${role} login password 'p' connection limit 0`)
    try {
      const failure = await failureWith({ username: role, password: 'p' })
      assert.equal(failure.code, 'destination_overloaded')
      assert.equal(failure.step, 'sign-in')
    } finally {
      await superuserSql(table, `drop role ${role}`)
    }
  })

  test('it reports a database that became read-only', async () => {
    const name = table.config.database
    await table.sql(`alter database ${name} set default_transaction_read_only = on`)
    proxy.cut()
    await assert.rejects(write('read-only'), { code: 'destination_read_only' })
    const failure = await failureWith({})
    assert.equal(failure.code, 'destination_read_only')
    assert.equal(failure.step, 'privileges')
    await superuserSql(
      table,
      `begin read write; alter database ${name} reset default_transaction_read_only; commit`,
    )
    proxy.cut()
    assert.deepEqual(await write('read-only'), [])
  })
})

async function lockingProcess(table: FreshTable): Promise<number> {
  for (;;) {
    const [row] = await table.sql<{ pid: number }>(
      `select pid from pg_locks where mode = 'AccessExclusiveLock' and granted
       and relation = 'elements'::regclass::oid`,
    )
    if (row) return row.pid
  }
}

/** PostgreSQL notices that the client of a waiting statement is gone. */
async function untilIdle(table: FreshTable, except: number): Promise<void> {
  for (;;) {
    const rows = await table.sql(
      `select from pg_stat_activity where datname = current_database() and application_name = 'millrace'
       and state = 'active' and pid <> $1`,
      [except],
    )
    if (rows.length === 0) return
  }
}

async function listen(serve: Parameters<typeof createServer>[1]): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    serve?.call(server, socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
