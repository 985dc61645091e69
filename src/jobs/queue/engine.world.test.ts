import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../../test/world/postgres.ts'
import { closeDatabase, type Database, openDatabase } from '../../store/database.ts'
import { migrate } from '../../store/migrate.ts'
import { migrations } from '../../store/migrations/all.ts'
import { type Handlers, startEngine, type TaskData, type TaskQueue } from './engine.ts'

let fresh: FreshDatabase
let db: Database
let engine: TaskQueue

const nothing = () => {}
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

beforeEach(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
  engine = await startEngine(fresh.url, { db, log, drainMs: 500 })
})

afterEach(async () => {
  await engine.stop()
  await closeDatabase(db)
  await fresh.drop()
})

test('it names jobs without a waiting or running task as lost', async () => {
  const [kept, lost] = [randomUUID(), randomUUID()]
  await engine.send('content', { jobId: kept, number: 3, claims: 50 })
  assert.deepEqual(await engine.lostJobs([kept, lost]), [{ jobId: lost, givenUp: [], givenUpTasks: [] }])
})

test('it sends a task with its transaction, or not at all', async () => {
  const jobId = randomUUID()
  const lost = async () => (await engine.lostJobs([jobId])).length === 1
  const transaction = db.transaction().execute(async (trx) => {
    await engine.send('list', { jobId }, trx)
    assert.equal(await lost(), true, 'not visible before the commit')
    throw new Error('rolled back')
  })
  await assert.rejects(transaction, /rolled back/)
  assert.equal(await lost(), true)
  await db.transaction().execute((trx) => engine.send('list', { jobId }, trx))
  assert.equal(await lost(), false)
})

test('it takes turns between workspaces, and between jobs of one', async () => {
  const [large, small] = [await addJob('large'), await addJob('small')]
  await engine.sendAll('content', tasksOf(large, 60))
  const done: string[] = []
  const isSent = Promise.withResolvers<void>()
  await work({
    content: async ({ jobId }) => {
      if (done.length >= 10) await isSent.promise
      await sleep(20)
      done.push(jobId)
    },
  })
  await until(() => done.length >= 10)
  const second = await addJob('large')
  for (let number = 0; number < 6; number++) {
    await engine.sendAll('content', [{ jobId: small, number, claims: 50 }])
    await engine.sendAll('content', [{ jobId: second, number, claims: 50 }])
  }
  const before = done.length
  isSent.resolve()
  await until(() => done.filter((jobId) => jobId === small).length === 6)
  // Half of the turns, and the tasks that ran already.
  const turns = done.lastIndexOf(small) + 1 - before
  assert.ok(turns <= 20, `six tasks took ${turns} turns`)
  await until(() => done.filter((jobId) => jobId === second).length === 6)
  assert.ok(done.lastIndexOf(second) + 1 < 60, 'before the large job')
})

test('it leaves workers to other workspaces while the tasks of one hang', async () => {
  const silent = await Promise.all(Array.from({ length: 8 }, () => addCheck('silent')))
  for (const checkId of silent) await engine.send('check', { checkId })
  const done: string[] = []
  await work({
    check: async ({ checkId }, { signal }) => {
      if (silent.includes(checkId)) await sleep(600_000, undefined, { signal, ref: false })
      done.push(checkId)
    },
  })
  await sleep(1500)
  const other = await addCheck('other')
  await engine.send('check', { checkId: other })
  await until(() => done.includes(other), 60_000)
})

test('it leaves places for content and files to other workspaces', async () => {
  const [slow, other] = [await addJob('slow'), await addJob('other')]
  const files = await Promise.all(Array.from({ length: 5 }, () => addJob('slow')))
  await engine.sendAll('content', tasksOf(slow, 8))
  for (const jobId of files) await engine.send('files', { jobId, part: 0 })
  const done: string[] = []
  let hanging = 0
  const run = async (name: string, jobId: string, signal: AbortSignal) => {
    if (jobId !== other) {
      hanging++
      await sleep(600_000, undefined, { signal, ref: false })
    }
    done.push(name)
  }
  await work({
    content: ({ jobId }, { signal }) => run('content', jobId, signal),
    files: ({ jobId }, { signal }) => run('files', jobId, signal),
  })
  await until(() => hanging === 5)
  await engine.sendAll('content', [{ jobId: other, number: 0, claims: 50 }])
  await engine.send('files', { jobId: other, part: 0 })
  await until(() => done.length === 2, 60_000)
  assert.equal(hanging, 5, 'three slices and two jobs of files')
})

test('it uses up no retry for a task that a stop interrupts', async () => {
  const jobId = await addJob('w')
  await engine.send('list', { jobId })
  const tries: number[] = []
  for (let stops = 0; stops < 7; stops++) {
    const started = Promise.withResolvers<void>()
    await work({
      list: async (_data, attempt) => {
        tries.push(attempt.tries)
        started.resolve()
        await sleep(600_000, undefined, { signal: attempt.signal, ref: false })
      },
    })
    await started.promise
    await engine.stop()
    engine = await startEngine(fresh.url, { db, log, drainMs: 0 })
  }
  assert.deepEqual([tries, await engine.lostJobs([jobId])], [[1, 1, 1, 1, 1, 1, 1], []])
})

test('it lets running tasks finish when it stops', async () => {
  const jobId = await addJob('w')
  const started = Promise.withResolvers<void>()
  let hasFinished = false
  await engine.send('list', { jobId })
  await work({
    list: async () => {
      started.resolve()
      await sleep(300)
      hasFinished = true
    },
  })
  await started.promise
  await engine.stop()
  assert.ok(hasFinished)
  engine = await startEngine(fresh.url, { db, log })
  assert.equal((await engine.lostJobs([jobId])).length, 1, 'the task is complete')
})

test('it runs a task once whose end is being recorded when it stops', async () => {
  await delayRecording()
  const jobId = await addJob('w')
  const finished = Promise.withResolvers<void>()
  let runs = 0
  await engine.send('list', { jobId })
  const list = async () => {
    runs++
    finished.resolve()
  }
  await work({ list })
  await finished.promise
  await engine.stop()
  const { rows } = await sql<{ state: string }>`select state from pgboss.job where name = 'list'`.execute(db)
  assert.deepEqual([rows, runs], [[{ state: 'completed' }], 1])
  engine = await startEngine(fresh.url, { db, log })
})

test('it takes no task while it drains, and sends still work', async () => {
  const [first, second] = [await addJob('w'), await addJob('w')]
  const started = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const seen: string[] = []
  await engine.stop()
  engine = await startEngine(fresh.url, { db, log, drainMs: 60_000 })
  await work({
    list: async ({ jobId }) => {
      seen.push(jobId)
      started.resolve()
      await end.promise
    },
  })
  await engine.send('list', { jobId: first })
  await started.promise
  const drained = engine.drain()
  await engine.send('list', { jobId: second })
  end.resolve()
  await drained
  assert.deepEqual(seen, [first])
  await engine.stop()
  engine = await startEngine(fresh.url, { db, log })
  const next = Promise.withResolvers<[string, number]>()
  await work({ list: async ({ jobId }, { tries }) => next.resolve([jobId, tries]) })
  assert.deepEqual(await next.promise, [second, 1])
})

/** The statement that records the end of a task takes a second. */
async function delayRecording(): Promise<void> {
  await sql`create function slow_end() returns trigger language plpgsql as $$ begin
    if current_query() like '%SET completed_on%state = ''completed''%' then perform pg_sleep(1); end if;
    return null; end $$`.execute(db)
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'pgboss'::regnamespace and relname in ('job', 'job_common')`.execute(db)
  for (const { name } of rows)
    await sql`create trigger slow_end before update on ${sql.id('pgboss', name)}
      for each statement execute function slow_end()`.execute(db)
}

async function work(handlers: Partial<Handlers>): Promise<void> {
  const none = async () => {}
  await engine.work({
    ...{ list: none, content: none, finish: none, files: none, check: none, deliver: none, scheduled: none },
    ...{ permissions: none, write_permissions: none, remove_elements: none, verify: none, ...handlers },
  })
}

async function until(holds: () => boolean, ms = 120_000): Promise<void> {
  for (const end = Date.now() + ms; !holds(); await sleep(10))
    assert.ok(Date.now() < end, `did not happen in ${ms} ms`)
}

const workspaces = new Map<string, string>()

async function workspaceOf(name: string): Promise<string> {
  const id = workspaces.get(name) ?? randomUUID()
  workspaces.set(name, id)
  await sql`insert into workspaces (id, name) values (${id}, ${name}) on conflict do nothing`.execute(db)
  return id
}

async function addJob(workspace: string): Promise<string> {
  const [workspaceId, workflowId, id] = [await workspaceOf(workspace), randomUUID(), randomUUID()]
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
    values (${workflowId}, ${workspaceId}, ${workflowId}, 'custom', '[]', false, 'active')`.execute(db)
  await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, settings)
    values (${id}, ${workspaceId}, ${workflowId}, 'w', 'IN_PROGRESS', 'IN_PROGRESS', 'persistent', '{"nodes": []}')`.execute(
    db,
  )
  return id
}

async function addCheck(workspace: string): Promise<string> {
  const [workspaceId, connectorId, id] = [await workspaceOf(workspace), randomUUID(), randomUUID()]
  await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
    values (${connectorId}, ${workspaceId}, 'source', 'wiki', ${connectorId}, '{}', '{}')`.execute(db)
  await sql`insert into connection_checks (id, connector_id, status) values (${id}, ${connectorId}, 'SCHEDULED')`.execute(
    db,
  )
  return id
}

function tasksOf(jobId: string, count: number): TaskData['content'][] {
  return Array.from({ length: count }, (_, number) => ({ jobId, number, claims: 50 }))
}
