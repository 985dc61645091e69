import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { ledgerOf } from '../../test/world/ledger-key.ts'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import { requirePinned } from '../jobs/runs.ts'
import type { Entry } from '../ledger-entry.ts'
import { closeDatabase, type Database, openDatabase } from '../store/database.ts'
import { pinSwap } from '../store/jobs/jobs.ts'
import { withLease } from '../store/leases.ts'
import { upsertDocuments } from '../store/ledger/documents.ts'
import {
  type LedgerKey,
  readSearchedLedger,
  replacedIndexes,
  searchedLedger,
  workflowsOfReplacedIndex,
} from '../store/ledger/ledgers.ts'
import { migrate } from '../store/migrate.ts'
import { migrations } from '../store/migrations/all.ts'
import { dropSwap, insertSwap, promoteLedger, readSwap, readSwapOf } from '../store/swaps/swaps.ts'
import { withWorkflowLock } from '../store/workflows/workflow-lock.ts'
import { readWorkflow } from '../store/workflows/workflows.ts'
import { takeOverLedger } from './target.ts'

let fresh: FreshDatabase
let db: Database
const workspace = randomUUID()
const destination = randomUUID()
before(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url, { max: 3 })
  await migrate(db, migrations)
  await sql`insert into workspaces (id, name) values (${workspace}, 'w')`.execute(db)
  await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
    values (${destination}, ${workspace}, 'destination', 'searchindex', 'd', '{}', '{}')`.execute(db)
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

function entry(recordId: string): Entry {
  const text = { version: '1', stateHash: 'h', settingsHash: 's', elementIds: ['e'], settled: true }
  return { recordId, scope: 's', position: '1', locator: {}, ...text }
}

async function createSwap(workflowId: string, pinned: 'in_place' | null = null): Promise<string> {
  const id = randomUUID()
  await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, settings)
    values (${id}, ${workspace}, ${workflowId}, 'w', 'STOPPED', 'STOPPED', 'persistent', '{}')`.execute(db)
  if (pinned) await pinSwap(db, id, pinned)
  await insertSwap(db, {
    ...{ job_id: id, workflow_id: workflowId, destination_id: destination, settings_hash: 'x' },
    ...{ indexName: 'wiki-2', old: { name: 'wiki-1', uuid: 'one' } },
  })
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
  await sql`insert into ledgers (workflow_id, index_name, index_uuid, replaced_at, destination_id)
    values (${old}, 'wiki-0', 'zero', now(), ${destination})`.execute(db)
  const staged = (await readSwapOf(db, old))?.ledger_id
  const document = (record: string) => sql`${record}, 's', '1', '{}', '1', 'h', 's', '{e}', true, 1`
  const columns = sql`record_id, scope, position, locator, version, state_hash, settings_hash, element_ids, settled, fence`
  await sql`insert into documents (ledger_id, ${columns}) values (${searchedLedger(old)}, ${document('before')})`.execute(
    db,
  )
  await sql`insert into documents (ledger_id, ${columns}) values (${staged}, ${document('after')})`.execute(
    db,
  )
  await sql`update workflows set deleted_at = now() where id = ${old}`.execute(db)
  const successor = (await readWorkflow(db, await createWorkflow('target'))) ?? assert.fail()
  await takeOverLedger(db, successor)
  assert.deepEqual(await workflowsOfReplacedIndex(db, [successor.id], 'zero'), [successor.id])
  assert.equal((await readSwapOf(db, successor.id))?.job_id, id)
  // As the cleanup does if the alias has moved.
  await promoteLedger(db, id)
  const { rows } = await sql`select ledger_id, record_id from documents`.execute(db)
  assert.deepEqual(rows, [{ ledger_id: staged, record_id: 'after' }])
  assert.equal((await readSearchedLedger(db, successor.id))?.index_name, 'wiki-2')
  const replaced = (await replacedIndexes(db, destination)).map(({ name, workflow_id: by }) => [name, by])
  assert.deepEqual(replaced, [
    ['wiki-1', successor.id],
    ['wiki-0', successor.id],
  ])
})

test('it writes nothing into the ledger of a replaced index', async () => {
  const workflowId = await createWorkflow()
  const old = await ledgerOf(db, workflowId)
  const id = await createSwap(workflowId)
  const staged = { workflowId, ledgerId: (await readSwapOf(db, workflowId))?.ledger_id ?? assert.fail() }
  const writes = (on: Database, of: LedgerKey, recordId: string) =>
    upsertDocuments(on, { ...of, fence: 1 }, [entry(recordId)])
  await writes(db, staged, 'w/1')
  let promoting = Promise.resolve()
  // Not committed when the swap ends.
  await db.transaction().execute(async (transaction) => {
    await writes(transaction, old, 'w/2')
    promoting = promoteLedger(db, id)
    await sleep(300)
  })
  await promoting
  assert.deepEqual(await writes(db, old, 'w/3'), new Set())
  assert.deepEqual(await writes(db, staged, 'w/4'), new Set(['w/4']))
  const { rows } =
    await sql`select record_id from documents where ledger_id in (${old.ledgerId}, ${staged.ledgerId})
    order by 1`.execute(db)
  assert.deepEqual(rows, [{ record_id: 'w/1' }, { record_id: 'w/4' }])
  assert.deepEqual(await ledgerOf(db, workflowId), staged)
})

test('it does not discard a ledger that a swap made the searched one', async () => {
  const workflowId = await createWorkflow()
  const swap = (await readSwap(db, await createSwap(workflowId))) ?? assert.fail()
  await promoteLedger(db, swap.job_id)
  await dropSwap(db, swap, { why: 'a frozen worker found it incomplete' })
  assert.equal((await ledgerOf(db, workflowId)).ledgerId, swap.ledger_id)
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
