import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import { closeDatabase, type Database, openDatabase } from '../store/database.ts'
import { migrate } from '../store/migrate.ts'
import { migrations } from '../store/migrations/all.ts'
import { insertSwap, pinSwap, promoteLedger, readSwapOf, replacedBy } from '../store/swaps/swaps.ts'
import { withWorkflowLock } from '../store/workflows/workflow-lock.ts'
import { readWorkflow } from '../store/workflows/workflows.ts'
import { adoptLedger } from './target.ts'

let fresh: FreshDatabase
let db: Database
const workspace = randomUUID()
before(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url, { max: 3 })
  await migrate(db, migrations)
  await sql`insert into workspaces (id, name) values (${workspace}, 'w')`.execute(db)
})
after(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

async function makeWorkflow(target: string | null = null): Promise<string> {
  const id = randomUUID()
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state, target)
    values (${id}, ${workspace}, ${id}, 'custom', '[]', false, 'active', ${target})`.execute(db)
  return id
}

async function makeSwap(workflowId: string, pinned: 'in_place' | null = null): Promise<string> {
  const id = randomUUID()
  await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, settings)
    values (${id}, ${workspace}, ${workflowId}, 'w', 'STOPPED', 'STOPPED', 'persistent', '{}')`.execute(db)
  if (pinned) await pinSwap(db, id, pinned)
  const index = { index_name: 'wiki-2', old_name: 'wiki-1', old_uuid: 'one', settings_hash: 'x' }
  await insertSwap(db, { job_id: id, workflow_id: workflowId, destination_id: randomUUID(), ...index })
  return id
}

test('a run that another process has begun in place does not swap', async () => {
  const workflowId = await makeWorkflow()
  const id = await makeSwap(workflowId, 'in_place')
  const { rows } = await sql`select swap from jobs where id = ${id}`.execute(db)
  assert.deepEqual(rows, [{ swap: 'in_place' }])
  assert.equal(await readSwapOf(db, workflowId), undefined)
})

test('a workflow that is made again inherits the swap that nobody has cleared up, and what was replaced', async () => {
  const old = await makeWorkflow('target')
  const id = await makeSwap(old)
  const destination = randomUUID()
  await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
    values (${destination}, ${workspace}, 'destination', 'searchindex', 'd', '{}', '{}')`.execute(db)
  await sql`insert into replaced_indexes (destination_id, name, uuid, workflow_id)
    values (${destination}, 'wiki-0', 'zero', ${old})`.execute(db)
  const document = (record: string) => sql`${record}, 's', '1', '{}', '1', 'h', 's', '{e}', true, 1`
  const columns = sql`record_id, scope, position, locator, version, state_hash, settings_hash, element_ids, settled, fence`
  await sql`insert into documents (workflow_id, ${columns}) values (${old}, ${document('before')})`.execute(
    db,
  )
  await sql`insert into staged_documents (swap_id, ${columns}) values (${id}, ${document('after')})`.execute(
    db,
  )
  await sql`update workflows set deleted_at = now() where id = ${old}`.execute(db)
  const heir = (await readWorkflow(db, await makeWorkflow('target'))) ?? assert.fail()
  await adoptLedger(db, heir)
  assert.deepEqual(await replacedBy(db, [heir.id], 'zero'), [heir.id])
  assert.equal((await readSwapOf(db, heir.id))?.job_id, id)
  // As whoever clears up does where the alias has moved.
  await promoteLedger(db, id)
  const { rows } = await sql`select workflow_id, record_id from documents`.execute(db)
  assert.deepEqual(rows, [{ workflow_id: heir.id, record_id: 'after' }])
  assert.equal((await readWorkflow(db, heir.id))?.index_name, 'wiki-2')
})

test('the lock is lost within a minute with the machine that holds it, and a wait for it ends in words', async () => {
  const shown = (on: Database) =>
    sql`select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_keepalives_interval') as interval,
      current_setting('tcp_keepalives_count') as count`.execute(on)
  const one = openDatabase(fresh.url, { max: 1 })
  const url = new URL(fresh.url)
  url.searchParams.set('statement_timeout', '200')
  const hasty = openDatabase(url.href)
  const before = (await shown(one)).rows
  await withWorkflowLock(one, 'w', async (locked) => {
    assert.deepEqual((await shown(locked)).rows, [{ idle: '30', interval: '10', count: '3' }])
    await assert.rejects(
      withWorkflowLock(hasty, 'w', async () => {}),
      { code: 'destination_overloaded' },
    )
  })
  assert.deepEqual((await shown(one)).rows, before)
  await withWorkflowLock(hasty, 'w', async () => {})
  await closeDatabase(one)
  await closeDatabase(hasty)
})
