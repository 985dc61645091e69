import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import { AppError } from '../errors.ts'
import { closeDatabase, type Database, openDatabase } from './database.ts'
import { type Migrations, migrate } from './migrate.ts'
import { migrations as ours } from './migrations/all.ts'

let fresh: FreshDatabase
let open: Database[]

beforeEach(async () => {
  fresh = await freshDatabase()
  open = []
})

afterEach(async () => {
  await Promise.all(open.map(closeDatabase))
  await fresh.drop()
})

// Running one twice fails; slow, so that the others arrive meanwhile.
const taking = (seconds: number): Migrations => ({
  '0001-first': {
    up: (db) => sql`create table first as select pg_sleep(${seconds})::text`.execute(db).then(() => {}),
  },
  '0002-second': { up: (db) => sql`create table second (id int)`.execute(db).then(() => {}) },
})
const two = taking(0.3)

test('it runs each migration once when several processes start together', async () => {
  const results = await Promise.all(Array.from({ length: 4 }, () => migrate(connect(), two)))
  assert.deepEqual(results.flat(), ['0001-first', '0002-second'])
  assert.deepEqual(await tables(), ['first', 'second'])
  assert.deepEqual(await migrate(connect(), two), [])
})

test('it waits for another process beyond the query limit', async () => {
  const limited = connect({ statementTimeoutMs: 2000 })
  const slow = taking(3)
  const results = await Promise.all([migrate(connect(), slow), migrate(limited, slow)])
  assert.deepEqual(results.flat(), ['0001-first', '0002-second'])
  const { rows } = await sql`show statement_timeout`.execute(limited)
  assert.deepEqual(rows, [{ statement_timeout: '2s' }])
})

test('it changes nothing when a migration fails, and names it', async () => {
  const broken: Migrations = {
    ...two,
    '0003-third': { up: (db) => sql`create table second (id int)`.execute(db).then(() => {}) },
  }
  await assert.rejects(migrate(connect(), broken), (error) => {
    assert.ok(error instanceof AppError && error.fix)
    assert.equal(error.message, 'migrating the database: 0003-third failed')
    return true
  })
  assert.deepEqual(await tables(), [])
})

test('it does not wait for ever for a lock, and says what to do', async () => {
  await migrate(connect(), two)
  const third: Migrations = {
    ...two,
    '0003-third': { up: (db) => sql`alter table second add column more int`.execute(db).then(() => {}) },
  }
  await connect()
    .transaction()
    .execute(async (other) => {
      await sql`select * from second`.execute(other)
      await assert.rejects(migrate(connect(), third, { lockTimeoutMs: 200 }), (error) => {
        assert.ok(error instanceof AppError)
        assert.match(error.message, /0003-third waited too long for a lock/)
        assert.match(error.fix ?? '', /pg_stat_activity/)
        return true
      })
    })
  assert.deepEqual(await migrate(connect(), third), ['0003-third'])
})

test('it refuses a database that a newer version has changed', async () => {
  await migrate(connect(), two)
  const { '0002-second': _, ...older } = two
  await assert.rejects(migrate(connect(), older), /which a newer version of Millrace has changed/)
})

test('it refuses migrations out of order', async () => {
  const { '0001-first': first, '0002-second': second } = two
  const misplaced = { '0002-second': second!, '0001-first': first! }
  await assert.rejects(migrate(connect(), misplaced), /0001-first is out of order/)
})

test('it creates our complete schema', async () => {
  assert.deepEqual(await migrate(connect(), ours), Object.keys(ours))
})

function connect({ statementTimeoutMs }: { statementTimeoutMs?: number } = {}): Database {
  const url = new URL(fresh.url)
  if (statementTimeoutMs) url.searchParams.set('statement_timeout', String(statementTimeoutMs))
  const db = openDatabase(url.href)
  open.push(db)
  return db
}

async function tables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name not like 'kysely%' order by 1`.execute(connect())
  return rows.map(({ name }) => name)
}
