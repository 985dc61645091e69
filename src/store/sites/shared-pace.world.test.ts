import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../../test/world/postgres.ts'
import { closeDatabase, type Database, openDatabase } from '../database.ts'
import { migrate } from '../migrate.ts'
import { migrations } from '../migrations/all.ts'
import { databasePace } from './shared-pace.ts'

const SITE = 'https://acme.example'
const max = 16
let fresh: FreshDatabase
let db: Database

before(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
})
beforeEach(async () => {
  await sql`truncate site_leases, site_pauses`.execute(db)
})
after(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

const processes = (count: number) => Array.from({ length: count }, () => databasePace(db))
type Pace = ReturnType<typeof databasePace>
const leaseOf = async (pace: Pace, wanted: number, site = SITE) =>
  (await pace.lease(site, { wanted, max })).limit
const expire = () => sql`update site_leases set seen_at = seen_at - interval '16 seconds'`.execute(db)

test('it divides the requests to a site fairly, at most two above the maximum while processes start', async () => {
  const all = processes(5)
  const held = new Map<Pace, number>()
  for (let round = 0; round < 6; round++)
    for (const pace of all) {
      held.set(pace, await leaseOf(pace, 16))
      const sum = [...held.values()].reduce((total, limit) => total + limit, 0)
      assert.ok(sum <= (round === 0 ? max + 2 : max), `${sum} in round ${round}`)
    }
  for (const limit of held.values()) assert.ok(limit >= 2 && limit <= 4, `${limit}`)
})

test('it gives a new process a few requests at once, and a lone one all', async () => {
  const [first, second] = processes(2) as [Pace, Pace]
  assert.equal(await leaseOf(first, 4), 4)
  assert.equal(await leaseOf(first, 16), 16)
  assert.equal(await leaseOf(second, 4), 2)
  assert.equal(await leaseOf(first, 16), 12)
  assert.equal(await leaseOf(second, 4), 4)
})

test('it leaves what a process does not want to the others', async () => {
  const [small, large] = processes(2) as [Pace, Pace]
  assert.equal(await leaseOf(small, 1), 1)
  assert.equal(await leaseOf(large, 16), 15)
  assert.equal(await leaseOf(large, 16), 15)
  assert.equal(await leaseOf(small, 1), 1)
})

test('it frees the requests of a process that is gone', async () => {
  const [gone, next] = processes(2) as [Pace, Pace]
  await leaseOf(gone, 16)
  await expire()
  assert.equal(await leaseOf(next, 16), 16)
})

test('it grants at most two above the maximum to processes that start together', async () => {
  const limits = await Promise.all(processes(8).map((pace) => leaseOf(pace, 4)))
  assert.ok(limits.reduce((sum, limit) => sum + limit, 0) <= max + 2, limits.join())
})

test('it keeps sites apart', async () => {
  const [first, second] = processes(2) as [Pace, Pace]
  await leaseOf(first, 16)
  assert.equal(await leaseOf(second, 16, 'https://other.example'), 16)
})

test('it holds all processes until the longest pause of the site ends', async () => {
  const [refused, other] = processes(2) as [Pace, Pace]
  await refused.pause(SITE, { reason: 'quota', leftMs: 600_000 })
  await refused.pause(SITE, { reason: 'burst', leftMs: 50_000 })
  const { pause } = await other.lease(SITE, { wanted: 4, max })
  assert.equal(pause?.reason, 'quota')
  assert.ok(pause && pause.leftMs > 500_000 && pause.leftMs <= 600_000)
  assert.equal((await other.lease('https://other.example', { wanted: 4, max })).pause, null)
  await sql`update site_pauses set until = clock_timestamp()`.execute(db)
  assert.equal((await other.lease(SITE, { wanted: 4, max })).pause, null)
})
