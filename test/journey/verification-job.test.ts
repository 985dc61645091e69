import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { closeDatabase, type Database, openDatabase } from '../../src/store/database.ts'
import { contents } from '../world/agreement.ts'
import { type Flow, makeFlow, run, startRun, until } from '../world/flow.ts'
import { addOtherWorkspace } from '../world/other-workspace.ts'
import { type Millrace, TEST_KEY } from '../world/service.ts'
import { passHeartbeat } from '../world/silent-process.ts'
import { openWorld, type World } from '../world/world.ts'

type Verification = {
  id: string
  status: string
  poll: string
  progress: { phase: string; waits_for: string | null; documents_compared: number; documents_total: number }
  result: { ok: boolean; findings: { kind: string; record_id: string }[] } | null
}

describe('a verification that takes long', () => {
  let world: World
  let flow: Flow
  let db: Database
  let worker: Millrace
  let path: string
  let started: Verification
  before(async () => {
    world = await openWorld({ wiki: { seed: 34, pages: 60, spaces: 4, people: 10, groups: 4 }, role: 'api' })
    db = openDatabase(world.databaseUrl)
    worker = await world.start('worker')
    flow = await makeFlow(world)
    path = `/destinations/${flow.destinationId}`
    assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    await worker.end('SIGTERM')
  })
  after(async () => {
    await closeDatabase(db)
    await world.close()
  })

  const read = async () => (await world.api.get<Verification>(`${path}/verify/${started.id}`)).body

  test('it responds with a job, which two requests share', async () => {
    const [first, second] = await Promise.all([
      world.api.post<Verification>(`${path}/verify?wait=0`),
      world.api.post<Verification>(`${path}/verify?wait=0.2`),
    ])
    assert.deepEqual([first.status, second.status], [202, 202], first.text)
    assert.equal(first.body.id, second.body.id)
    assert.deepEqual([first.body.status, first.body.result], ['SCHEDULED', null])
    assert.ok(first.body.progress.documents_total > 0)
    started = first.body
    const polled = await fetch(new URL(started.poll, world.api.base), {
      headers: { authorization: `Bearer ${TEST_KEY}` },
    })
    assert.deepEqual(await polled.json(), await read())
  })

  test('it refuses a repair meanwhile, and waits that are no number', async () => {
    const repair = await world.api.post(`${path}/repair?wait=0`)
    assert.equal(repair.status, 409, repair.text)
    assert.match(repair.text, new RegExp(started.id))
    for (const wait of ['-1', '101', 'long'])
      assert.equal((await world.api.post(`${path}/verify?wait=${wait}`)).status, 422, wait)
  })

  test('it lists verifications apart from other jobs', async () => {
    const ids = async (query: string) =>
      (await world.api.get<{ id: string }[]>(`/jobs${query}`)).body.map(({ id }) => id)
    assert.deepEqual(await ids('?kind=verify'), [started.id])
    assert.ok(!(await ids('')).includes(started.id))
    assert.equal((await world.api.get<{ kind: string }>(`/jobs/${started.id}`)).body.kind, 'verify')
    const theirs = await addOtherWorkspace(world.databaseUrl)
    for (const wrong of [
      `/destinations/${theirs.destination}/verify/${started.id}`,
      `${path}/verify/${theirs.job}`,
      `${path}/verify/x`,
    ])
      assert.equal((await world.api.get(wrong)).status, 404, wrong)
  })

  test('it waits for a run that starts meanwhile', async () => {
    const job = await startRun(world, flow)
    worker = await world.start('worker')
    await until(read, ({ progress }) => progress.waits_for === job || progress.phase === 'done', 180)
    await until(read, ({ status }) => status === 'COMPLETED', 180)
    const ended = await read()
    assert.deepEqual([ended.result?.ok, ended.progress.phase], [true, 'done'], JSON.stringify(ended))
  })

  test('it continues after its worker was killed', async () => {
    const [gone] = await contents(world)
    await world.engine.adminFetch(`/${world.index}/_doc/${gone!._id}?refresh=true`, { method: 'DELETE' })
    await db.transaction().execute(async (transaction) => {
      // The first slice cannot be recorded, so the worker dies in the middle of it.
      await sql`lock table verification_scopes in exclusive mode`.execute(transaction)
      started = (await world.api.post<Verification>(`${path}/verify?wait=0`)).body
      await until(
        () => waitingStatements('verification_scopes'),
        (count) => count > 0,
      )
      await worker.end('SIGKILL')
    })
    await passHeartbeat(world.databaseUrl)
    worker = await world.start('worker')
    const ended = await until(read, ({ status }) => status === 'COMPLETED', 180)
    assert.deepEqual(
      ended.result?.findings.map(({ kind, record_id }) => [kind, record_id]),
      [['missing', gone!._source.record_id]],
    )
    assert.equal(ended.progress.documents_compared, ended.progress.documents_total)
  })

  test('it stops when it is cancelled', async () => {
    await worker.end('SIGTERM')
    started = (await world.api.post<Verification>(`${path}/verify?wait=0`)).body
    const waiting = await db.transaction().execute(async (transaction) => {
      // The second request has found the job when it reads this table.
      await sql`lock table verifications in access exclusive mode`.execute(transaction)
      const sent = world.api.post<{ code: string }>(`${path}/verify?wait=60`)
      await until(
        () => waitingStatements('verifications'),
        (count) => count > 0,
      )
      return { sent }
    })
    assert.equal((await world.api.post(`/jobs/${started.id}/cancel`)).status, 200)
    const { status, body } = await waiting.sent
    assert.deepEqual([status, body.code], [409, 'cancelled'])
    assert.equal((await read()).status, 'STOPPED')
  })

  async function waitingStatements(table: string): Promise<number> {
    const { rows } = await sql<{ count: string }>`select count(*) as count from pg_locks
      where not granted and relation = ${table}::regclass`.execute(db)
    return Number(rows[0]?.count)
  }
})
