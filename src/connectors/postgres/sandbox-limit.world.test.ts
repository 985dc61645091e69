import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startForcedPooler } from '../../../test/world/forced-pooler.ts'
import {
  configOf,
  FAST_PACE,
  type FreshTable,
  freshTable,
  urlOfTable,
} from '../../../test/world/fresh-table.ts'
import { openEgress, silent, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { holds } from '../../../test/world/settled.ts'
import { SANDBOX_HOST } from '../egress/sandbox-host.ts'
import { elementKey } from '../kit/stored-element.ts'
import { openPostgres, type PostgresTable } from './destination.ts'

const { signal } = new AbortController()
const item = (page: number, id = 'a') => ({ ...writeItem(id), recordId: `wiki.test/${page}` })

function openSandbox(table: FreshTable, { maxMb = 1000 } = {}): PostgresTable {
  const { host, port, database } = table.config
  const egress = { ...openEgress(), sandbox: { host, port, database, ssl: false, maxMb } }
  const config = { ...table.config, host: SANDBOX_HOST, port: 5432, database: 'any', batch_size: 1 }
  return openPostgres({ ...config, ssl_mode: 'verify-full' }, { egress, log: silent }, FAST_PACE)
}

describe('the sandbox', () => {
  let table: FreshTable
  let sandbox: PostgresTable
  before(async () => {
    table = await freshTable()
    sandbox = openSandbox(table)
    await sandbox.prepare({ dims: null }, signal)
    const pages = Array.from({ length: 4998 }, (_, at) => `wiki.test/${at + 1}`)
    await table.sql(
      `insert into elements (id, record_id, element_id, fence)
       select id, record_id, 'a', 1 from unnest($1::text[], $2::text[]) as page(id, record_id)`,
      [pages.map((page) => elementKey(page, 'a')), pages],
    )
  })
  after(async () => {
    await sandbox.close()
    await table[Symbol.asyncDispose]()
  })

  test('it rejects documents beyond 5,000 one by one, whichever batch comes first', async () => {
    const items = [1, 5001, 5002, 5003, 5004, 5005].flatMap((page) => [item(page), item(page, 'b')])
    const rejections = await sandbox.write(items, 2, signal)
    const rejected = new Set(rejections.map(({ recordId }) => recordId))
    assert.equal(rejections.length, 6)
    assert.equal(rejected.size, 3)
    assert.equal(rejected.has('wiki.test/1'), false)
    assert.equal(await table.count(), 4998 + 1 + 4)
    const { code, message } = rejections[0]?.error ?? assert.fail()
    assert.equal(code, 'destination_full')
    assert.match(message, /the sandbox holds at most 5,000 documents; use a destination of your own/)
  })

  test('it updates existing documents and takes a new one after a removal', async () => {
    assert.deepEqual(await sandbox.write([item(2), item(2, 'b')], 3, signal), [])
    await sandbox.remove([{ recordId: 'wiki.test/2', elementIds: ['a', 'b'] }], 4, signal)
    assert.deepEqual(await sandbox.write([item(6000)], 5, signal), [])
    assert.equal((await sandbox.write([item(6001)], 6, signal)).length, 1)
  })

  test('it shares three connections among all jobs and searches of a sandbox', async () => {
    const clients = Array.from({ length: 8 }, () => openSandbox(table))
    const waiting = async () => {
      const [row] = await table.sql<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and application_name = 'millrace'`,
      )
      return row?.count ?? 0
    }
    const holder = new pg.Client({ connectionString: urlOfTable(table) })
    await holder.connect()
    await holder.query('begin; lock table elements in access exclusive mode')
    const writing = clients.flatMap((client) => [1, 2, 3].map(() => client.write([item(1)], 8, signal)))
    try {
      await holds(async () => assert.equal(await waiting(), 3))
      await sleep(300)
      assert.equal(await waiting(), 3)
    } finally {
      await holder.end()
      await Promise.all(writing)
      await Promise.all(clients.map((client) => client.close()))
    }
  })

  test('it rejects elements beyond its size, and takes them after a removal', async () => {
    const small = openSandbox(table, { maxMb: 4 })
    const text = Array.from({ length: 8_000 }, () => Math.random().toString(36).slice(2)).join(' ')
    const long = (page: number) => {
      const { element, ...rest } = item(page)
      return { ...rest, element: { ...element, text } }
    }
    const pages = Array.from({ length: 60 }, (_, at) => at + 3)
    const rejections = await small.write(pages.map(long), 9, signal)
    assert.ok(rejections.length > 0 && rejections.length < pages.length, String(rejections.length))
    const { code, message } = rejections[0]?.error ?? assert.fail()
    assert.equal(code, 'destination_full')
    assert.match(message, /the sandbox holds at most 4 MB; use a destination of your own/)
    assert.equal((await small.write([long(5000)], 10, signal)).length, 1)
    const documents = pages.map((page) => ({ recordId: `wiki.test/${page}`, elementIds: ['a'] }))
    await small.remove(documents, 11, signal)
    assert.deepEqual(await small.write([long(100)], 12, signal), [])
    await small.close()
  })

  test('it reports a sandbox that is switched off', async () => {
    const config = { ...table.config, host: SANDBOX_HOST }
    const closed = openPostgres(config, { egress: openEgress(), log: silent }, FAST_PACE)
    await assert.rejects(closed.write([item(1)], 7, signal), { code: 'egress_refused' })
    assert.equal((await closed.check(signal)).ok, false)
    await closed.close()
  })

  test('it is not used as another role, such as that of a pooler', async () => {
    await using pooler = await startForcedPooler(urlOfTable(table))
    const { host, port, database } = configOf(pooler.url)
    const egress = { ...openEgress(), sandbox: { host, port, database, ssl: false, maxMb: 1000 } }
    const config = { ...table.config, host: SANDBOX_HOST }
    for (const username of [config.username, 'millrace_sandbox_0']) {
      const pooled = openPostgres({ ...config, username }, { egress, log: silent }, FAST_PACE)
      const { ok, reason } = await pooled.check(signal)
      assert.equal(ok, username === config.username, reason ?? '')
      if (!ok) assert.match(reason ?? '', /another role than millrace_sandbox_0/)
      await pooled.close()
    }
  })
})
