import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { freshDatabase } from '../../../test/world/postgres.ts'
import { closeDatabase, openDatabase } from '../../store/database.ts'
import { migrate } from '../../store/migrate.ts'
import { migrations } from '../../store/migrations/all.ts'
import { type Handlers, startEngine } from './engine.ts'

/** The queue looks for dead tasks every 5 s. */
const SUPERVISE_MS = 6_000

test('it keeps a task that missed a touch, and delivers it again after its heartbeat', async () => {
  const fresh = await freshDatabase()
  const db = openDatabase(fresh.url)
  await migrate(db, migrations)
  const nothing = () => {}
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
  const engine = await startEngine(fresh.url, { db, log, drainMs: 0 })
  try {
    const tries: number[] = []
    const list: Handlers['list'] = async (_data, attempt) => {
      tries.push(attempt.tries)
      await sleep(600_000, undefined, { signal: attempt.signal, ref: false }).catch(nothing)
    }
    const handlers = { list } as unknown as Handlers
    await engine.work(new Proxy(handlers, { get: (known, name) => Reflect.get(known, name) ?? nothing }))
    await engine.send('list', { jobId: randomUUID() })
    const passTime = (seconds: number) =>
      sql`update pgboss.job set heartbeat_on = heartbeat_on - ${seconds} * interval '1 second'
        where state = 'active'`.execute(db)
    const delivered = async (count: number) => {
      for (const end = Date.now() + 120_000; tries.length < count; await sleep(50))
        assert.ok(Date.now() < end)
    }
    await delivered(1)
    await passTime(9)
    await sleep(SUPERVISE_MS)
    assert.deepEqual(tries, [1])
    // A touch in between would undo it.
    const passing = setInterval(() => void passTime(60).catch(nothing), 100)
    await delivered(2).finally(() => clearInterval(passing))
    assert.deepEqual(tries, [1, 2])
  } finally {
    await engine.stop()
    await closeDatabase(db)
    await fresh.drop()
  }
})
