import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import { requirePinned } from '../jobs/runs.ts'
import { closeDatabase, type Database, openDatabase } from '../store/database.ts'
import { withLease } from '../store/leases.ts'
import { migrate } from '../store/migrate.ts'
import { migrations } from '../store/migrations/all.ts'
import {
  insertSwap,
  pinSwap,
  promoteLedger,
  readSwapOf,
  workflowsOfReplacedIndex,
} from '../store/swaps/swaps.ts'
import { withWorkflowLock } from '../store/workflows/workflow-lock.ts'
import { readWorkflow } from '../store/workflows/workflows.ts'
import { takeOverLedger } from './target.ts'

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

async function createWorkflow(target: string | null = null): Promise<string> {
  const id = randomUUID()
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state, target)
    values (${id}, ${workspace}, ${id}, 'custom', '[]', false, 'active', ${target})`.execute(db)
  return id
}

async function createSwap(workflowId: string, pinned: 'in_place' | null = null): Promise<string> {
  const id = randomUUID()
  await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, settings)
    values (${id}, ${workspace}, ${workflowId}, 'w', 'STOPPED', 'STOPPED', 'persistent', '{}')`.execute(db)
  if (pinned) await pinSwap(db, id, pinned)
  const index = { index_name: 'wiki-2', old_name: 'wiki-1', old_uuid: 'one', settings_hash: 'x' }
  await insertSwap(db, { job_id: id, workflow_id: workflowId, destination_id: randomUUID(), ...index })
  return id
}

test('it does not swap if another process started to write in place', async () => {
  const workflowId = await createWorkflow()
  const id = await createSwap(workflowId, 'in_place')
  const { rows } = await sql`select swap from jobs where id = ${id}`.execute(db)
  assert.deepEqual(rows, [{ swap: 'in_place' }])
  assert.equal(await readSwapOf(db, workflowId), undefined)
})

test('it gives a recreated workflow the pending swap and the replaced indexes', async () => {
  const old = await createWorkflow('target')
  const id = await createSwap(old)
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
  const successor = (await readWorkflow(db, await createWorkflow('target'))) ?? assert.fail()
  await takeOverLedger(db, successor)
  assert.deepEqual(await workflowsOfReplacedIndex(db, [successor.id], 'zero'), [successor.id])
  assert.equal((await readSwapOf(db, successor.id))?.job_id, id)
  // As the cleanup does if the alias has moved.
  await promoteLedger(db, id)
  const { rows } = await sql`select workflow_id, record_id from documents`.execute(db)
  assert.deepEqual(rows, [{ workflow_id: successor.id, record_id: 'after' }])
  assert.equal((await readWorkflow(db, successor.id))?.index_name, 'wiki-2')
})

test('it holds no connection while it has a lease, and explains a long wait', async () => {
  const one = openDatabase(fresh.url, { max: 1 })
  const options = { name: 'swap:w', busy: 'another process is swapping', waitMs: 300 }
  await withWorkflowLock(one, 'w', async (lease) => {
    await sql`select 1`.execute(one)
    await assert.rejects(
      withLease(db, options, async () => {}),
      { code: 'destination_overloaded', message: options.busy },
    )
    await lease.transaction(async (transaction) => {
      await assert.rejects(
        withLease(db, options, async () => {}),
        { message: options.busy },
      )
      await sql`select 1`.execute(transaction)
    })
  })
  await withLease(db, options, async () => {})
  await closeDatabase(one)
})

test('it takes over an expired lease, and its old owner changes nothing any more', async () => {
  const workflowId = await createWorkflow()
  const id = await createSwap(workflowId)
  await withWorkflowLock(db, workflowId, async (frozen) => {
    await sql`update leases set until = now() - interval '1 second'`.execute(db)
    await frozen.transaction(async () => {})
    await withWorkflowLock(db, workflowId, async (next) => {
      await assert.rejects(
        frozen.transaction((transaction) => promoteLedger(transaction, id)),
        /lost its lease/,
      )
      await next.transaction(async () => {})
    })
    await assert.rejects(
      frozen.transaction((transaction) => promoteLedger(transaction, id)),
      /lost its lease/,
    )
  })
  assert.equal((await readSwapOf(db, workflowId))?.job_id, id)
})

test('it refuses a worker with other settings than the job began with', async () => {
  const id = await createSwap(await createWorkflow())
  await requirePinned(db, id, 'one')
  await requirePinned(db, id, 'one')
  await assert.rejects(requirePinned(db, id, 'two'), { code: 'settings_changed', retryable: true })
  await requirePinned(db, id, 'one')
})
