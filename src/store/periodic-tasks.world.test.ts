import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import { closeDatabase, type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/all.ts'
import { runIfDue } from './periodic-tasks.ts'

let fresh: FreshDatabase
let db: Database
const DAY_MS = 24 * 3600_000

before(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
})

after(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

test('it runs a task in one of several processes, and again after its time', async () => {
  let runs = 0
  const run = () =>
    runIfDue(db, { name: 'prune', everyMs: DAY_MS }, async () => {
      runs++
    })
  await Promise.all([run(), run(), run()])
  await run()
  assert.equal(runs, 1)
  await sql`update periodic_tasks set began_at = now() - interval '25 hours'`.execute(db)
  await Promise.all([run(), run()])
  assert.equal(runs, 2)
})

test('it repeats a failed task', async () => {
  const about = { name: 'fails', everyMs: DAY_MS }
  const failing = runIfDue(db, about, () => Promise.reject(new Error('no connection')))
  await assert.rejects(failing, /no connection/)
  assert.equal(await runIfDue(db, about, async () => {}), true)
})
