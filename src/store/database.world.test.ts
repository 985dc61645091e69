import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import { startPostgresProxy } from '../../test/world/postgres-proxy.ts'
import { settles } from '../../test/world/settled.ts'
import { closeDatabase, type Database, databasePoolUse, openDatabase } from './database.ts'
import { isDatabaseUnreachable } from './database-problem.ts'

let fresh: FreshDatabase
let db: Database
let lost: unknown[]
let onLost: () => void

beforeEach(async () => {
  fresh = await freshDatabase()
  lost = []
  const log = {
    warn: (fields: unknown) => {
      lost.push(fields)
      onLost?.()
    },
  }
  db = openDatabase(fresh.url, { max: 2, applicationName: 'millrace-test', log })
})

afterEach(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

test('it sets its application name and cancels stuck statements', async () => {
  const { rows } = await sql`select current_setting('application_name') as name,
    current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle`.execute(db)
  assert.deepEqual(rows, [{ name: 'millrace-test', statement: '1min', idle: '1min' }])
})

test('it survives the loss of a connection in use, and fails its next query', async () => {
  const other = openDatabase(fresh.url, { max: 1 })
  await db.connection().execute(async (held) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(held)
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other)
    // Without a listener the process would have ended by now.
    await assert.rejects(async () => {
      for (;;) await sql`select 1`.execute(held)
    })
  })
  await closeDatabase(other)
  // The pool may notice the loss only with the next query.
  await sql`select 1`.execute(db).catch(() => sql`select 1`.execute(db))
})

test('it survives the loss of an idle connection, and logs it', async () => {
  const told = new Promise<void>((resolve) => {
    onLost = resolve
  })
  await sql`select 1`.execute(db)
  const other = openDatabase(fresh.url)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'millrace-test'`.execute(
    other,
  )
  await told
  await closeDatabase(other)
  assert.equal(lost.length, 1)
  assert.deepEqual((await sql`select 1 as one`.execute(db)).rows, [{ one: 1 }])
})

test('it opens no more connections than allowed', async () => {
  await Promise.all(Array.from({ length: 6 }, () => sql`select pg_sleep(0.01)`.execute(db)))
  const { rows } = await sql`
    select count(*)::int from pg_stat_activity where application_name = 'millrace-test' and datname = current_database()`.execute(
    db,
  )
  assert.deepEqual(rows, [{ count: 2 }])
})

test('it gives a silent connection up and opens another', async () => {
  const proxy = await startPostgresProxy(fresh.url)
  const behind = openDatabase(`${proxy.url}?query_timeout=3000`, { max: 1 })
  try {
    const select = () => sql`select 1 as one`.execute(behind)
    await select()
    proxy.blackHole()
    await assert.rejects(
      behind.transaction().execute((transaction) => sql`select 1`.execute(transaction)),
      /Query read timeout/,
    )
    proxy.back()
    assert.deepEqual((await select()).rows, [{ one: 1 }])
  } finally {
    await closeDatabase(behind)
    await proxy.close()
  }
})

test('it waits for statements whose limit was lifted', async () => {
  const limited = openDatabase(`${fresh.url}?query_timeout=2000`, { max: 1 })
  const slow = (held: Database) => sql`select pg_sleep(2.5)`.execute(held)
  await limited.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = 0`.execute(transaction)
    await slow(transaction)
  })
  await assert.rejects(slow(limited), /Query read timeout/)
  await limited.connection().execute(async (held) => {
    await sql`set statement_timeout = 0`.execute(held)
    await held.transaction().execute(slow)
    await slow(held)
    await sql`reset statement_timeout`.execute(held)
    await assert.rejects(slow(held), /Query read timeout/)
  })
  await closeDatabase(limited)
})

test('it waits longer for a free connection than for a new one, and counts those who wait', async () => {
  const busy = sql`select pg_sleep(11)`.execute(db)
  const other = sql`select pg_sleep(11)`.execute(db)
  const waiting = sql<{ one: number }>`select 1 as one`.execute(db)
  await settles(() => databasePoolUse(db), { max: 2, used: 2, idle: 0, waiting: 1 })
  assert.deepEqual((await waiting).rows, [{ one: 1 }])
  await Promise.all([busy, other])
})

test('it gives up a connection that PostgreSQL does not answer, as unreachable', async () => {
  const proxy = await startPostgresProxy(fresh.url)
  const silent = openDatabase(proxy.url)
  try {
    proxy.blackHole()
    const failed = await sql`select 1`.execute(silent).then(
      () => null,
      (error: Error) => error,
    )
    assert.ok(failed && isDatabaseUnreachable(failed), String(failed))
  } finally {
    await closeDatabase(silent)
    await proxy.close()
  }
})
