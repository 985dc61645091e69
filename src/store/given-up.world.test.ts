import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { ledgerOf } from '../../test/world/ledger-key.ts'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { NO_ACCESS } from '../permissions/levels.ts'
import { closeDatabase, type Database, openDatabase } from './database.ts'
import { countStates } from './jobs/job-counts.ts'
import {
  claimDocuments,
  claimUnfinished,
  deferMoved,
  deferredRecords,
  dropDeferred,
  finishDocuments,
  openClaims,
  recordListed,
} from './jobs/job-documents.ts'
import { advanceScope, removeUnlisted } from './jobs/job-scopes.ts'
import { unlistedDocuments, upsertDocuments } from './ledger/documents.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/all.ts'

let fresh: FreshDatabase
let db: Database
let workflowId: string
let jobId: string

before(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
  await sql`insert into workspaces (id, name) values (${randomUUID()}::uuid, 'w')`.execute(db)
})
beforeEach(async () => {
  workflowId = await addWorkflow()
  jobId = randomUUID()
  await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, settings)
    select ${jobId}::uuid, id, ${workflowId}::uuid, 'w', 'IN_PROGRESS', 'IN_PROGRESS', 'persistent', '{}' from workspaces`.execute(
    db,
  )
})
after(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

const list = (scope: string) =>
  recordListed(db, { jobId, asOf: new Date() }, [{ ref: ref('w/1', scope), kind: 'changed' }])
const claim = () => claimDocuments(db, { jobId, task: randomUUID(), limit: 10 })

test('it defers a document that moves while a worker processes it', async () => {
  await list('A')
  const { fence } = await claim()
  await list('B')
  await finishDocuments(db, { jobId, fence }, [{ recordId: 'w/1', state: 'changed', elements: 1 }])
  assert.deepEqual([...(await deferredRecords(db, jobId))], ['w/1'])
  const [claimed] = await claimUnfinished(db, { jobId }, fence + 1)
  assert.equal(claimed?.ref, null, 'neither scope is certain')
})

test('it keeps the last ref of a changed document until the next listing', async () => {
  await list('A')
  const { fence } = await claim()
  await finishDocuments(db, { jobId, fence }, [{ recordId: 'w/1', state: 'relist' }])
  const [claimed] = await claimUnfinished(db, { jobId }, fence + 1)
  assert.deepEqual([claimed?.ref?.scope, claimed?.kind], ['A', 'changed'])
  await list('B')
  const [again] = await claimUnfinished(db, { jobId }, fence + 2)
  assert.equal(again?.ref?.scope, 'B')
})

test('it gives the task that gives up a deferred document a claim on it', async () => {
  await list('A')
  const { fence } = await claim()
  await finishDocuments(db, { jobId, fence }, [{ recordId: 'w/1', state: 'relist' }])
  await claimUnfinished(db, { jobId }, fence + 1)
  const { hasClaims, lost } = await openClaims(db, { jobId, fence: fence + 1 }, ['w/1'])
  assert.deepEqual([hasClaims, lost], [true, 0])
  const other = await openClaims(db, { jobId, fence }, ['w/1'])
  assert.deepEqual([other.hasClaims, other.lost], [false, 1])
})

test('it drops unlisted documents after every listing, and listed ones only after a complete one', async () => {
  await list('A')
  const { fence } = await claim()
  await finishDocuments(db, { jobId, fence }, [{ recordId: 'w/1', state: 'relist' }])
  await deferMoved(db, jobId, [{ recordId: 'w/2', scope: 'A' }])
  const began = new Date(Date.now() + 1)
  await dropDeferred(db, jobId, { complete: false, began })
  assert.deepEqual([...(await deferredRecords(db, jobId))], ['w/1'])
  await dropDeferred(db, jobId, { complete: true, began })
  assert.equal((await deferredRecords(db, jobId)).size, 0)
})

test('it looks for a document that a complete listing no longer shows', async () => {
  await upsertDocuments(db, { ...(await ledgerOf(db, workflowId)), fence: 1 }, [entry('w/1')])
  const ledger = await ledgerOf(db, workflowId)
  const unlisted = async () => (await Array.fromAsync(unlistedDocuments(db, ledger, jobId))).flat()
  await list('A')
  const { fence } = await claim()
  await finishDocuments(db, { jobId, fence }, [{ recordId: 'w/1', state: 'relist' }])
  const began = new Date(Date.now() + 1)
  await dropDeferred(db, jobId, { complete: false, began })
  assert.equal((await unlisted()).length, 0)
  await dropDeferred(db, jobId, { complete: true, began })
  assert.deepEqual(
    (await unlisted()).map(({ recordId }) => recordId),
    ['w/1'],
  )
  await list('B')
  assert.equal((await unlisted()).length, 0, 'a later listing shows it')
})

test('it keeps a document that changed again after the listing showed it', async () => {
  const began = new Date(Date.now() - 1)
  await list('A')
  const { fence } = await claim()
  await finishDocuments(db, { jobId, fence }, [{ recordId: 'w/1', state: 'relist' }])
  await dropDeferred(db, jobId, { complete: true, began })
  assert.deepEqual([...(await deferredRecords(db, jobId))], ['w/1'])
})

test('it never counts the documents of a scope below zero', async () => {
  await upsertDocuments(db, { ...(await ledgerOf(db, workflowId)), fence: 1 }, [entry('w/1')])
  const step = { scope: 'A', after: null, to: null, asOf: new Date(), unchanged: 0, outdated: false }
  await advanceScope(db, jobId, { ...step, end: { upTo: null } })
  await removeUnlisted(db, jobId, { listed: ['w/1'], moved: ['w/1'] })
  assert.equal((await countStates(db, jobId)).unchanged, 0)
})

async function addWorkflow(): Promise<string> {
  const id = randomUUID()
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
    select ${id}::uuid, id, ${id}, 'custom', '[]', false, 'active' from workspaces`.execute(db)
  return id
}

function entry(recordId: string): Entry {
  return {
    ...{ recordId, scope: 'A', position: '1', locator: {}, version: '7', stateHash: 's', settingsHash: 'h' },
    ...{ elementIds: ['e1'], settled: true },
  }
}

function ref(recordId: string, scope: string): DocumentRef {
  return {
    ...{ recordId, scope, position: '1', version: '7', title: 'Page', url: '', locator: {} },
    ...{ filename: '1.html', createdAt: null, modifiedAt: null, author: null, labels: [], ancestors: [] },
    scopeName: scope,
    access: NO_ACCESS,
  }
}
