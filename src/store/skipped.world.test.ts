import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { ledgerOf } from '../../test/world/ledger-key.ts'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { NO_ACCESS } from '../permissions/levels.ts'
import { closeDatabase, type Database, openDatabase } from './database.ts'
import { listDocuments } from './jobs/document-pages.ts'
import { countStates } from './jobs/job-counts.ts'
import { claimDocuments, finishDocuments, recordListed } from './jobs/job-documents.ts'
import { endJob, readJob } from './jobs/jobs.ts'
import { countMissing } from './jobs/missing.ts'
import { countDocuments, findDocuments, takeOverDocuments, upsertDocuments } from './ledger/documents.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/all.ts'

let fresh: FreshDatabase
let db: Database
let workflowId: string
let jobId: string

const skipped = { code: 'document_unsupported', message: 'a film', readable: 'r' }

beforeEach(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
  workflowId = await addWorkflow()
  jobId = randomUUID()
  await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, settings)
    select ${jobId}::uuid, id, ${workflowId}::uuid, 'w', 'IN_PROGRESS', 'IN_PROGRESS', 'persistent', '{}' from workspaces limit 1`.execute(
    db,
  )
})

afterEach(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

test('it keeps why a document was skipped until it is written', async () => {
  const ledger = await ledgerOf(db, workflowId)
  const writing = { ...ledger, fence: 2 }
  await upsertDocuments(db, writing, [{ ...entry('w/1'), elementIds: [], skipped }, entry('w/2')])
  const found = await findDocuments(db, ledger, ['w/1', 'w/2'])
  assert.deepEqual(found.get('w/1')?.skipped, skipped)
  assert.deepEqual(found.get('w/2'), entry('w/2'))
  assert.equal(await countDocuments(db, ledger.ledgerId), 1, 'skipped documents are not in the index')

  assert.equal(
    (await upsertDocuments(db, { ...ledger, fence: 1 }, [entry('w/1')])).size,
    0,
    'its fence is lower',
  )
  await upsertDocuments(db, writing, [entry('w/1')])
  assert.deepEqual((await findDocuments(db, ledger, ['w/1'])).get('w/1'), entry('w/1'))
})

test('it keeps the reasons when a workflow takes over a ledger', async () => {
  const ledger = await ledgerOf(db, workflowId)
  await upsertDocuments(db, { ...ledger, fence: 1 }, [{ ...entry('w/1'), elementIds: [], skipped }])
  const successor = await ledgerOf(db, await addWorkflow())
  await takeOverDocuments(db, [workflowId], successor.workflowId)
  assert.deepEqual((await findDocuments(db, successor, ['w/1'])).get('w/1')?.skipped, skipped)
})

test('it skips a document again when listed, with its reason', async () => {
  await recordListed(db, { jobId, asOf: new Date() }, [{ ref: ref('w/1'), kind: 'skipped', skipped }])
  await recordListed(db, { jobId, asOf: new Date() }, [{ ref: ref('w/1'), kind: 'skipped', skipped }])
  const [row] = await rows()
  assert.deepEqual(
    [row?.state, row?.error_code, row?.error_message],
    ['skipped', skipped.code, skipped.message],
  )
  assert.equal((await countStates(db, jobId)).skipped, 1)
})

test('it processes a skipped document that is listed again as new', async () => {
  await recordListed(db, { jobId, asOf: new Date() }, [{ ref: ref('w/1'), kind: 'skipped', skipped }])
  await recordListed(db, { jobId, asOf: new Date() }, [{ ref: ref('w/1'), kind: 'changed' }])
  const [row] = await rows()
  assert.deepEqual([row?.state, row?.kind, row?.error_code], ['pending', 'changed', null])
})

test('it lists a document once more that was found in two scopes', async () => {
  await recordListed(db, { jobId, asOf: new Date() }, [{ ref: ref('w/1'), kind: 'skipped', skipped }])
  await recordListed(db, { jobId, asOf: new Date() }, [{ ref: ref('w/1', 'B'), kind: 'skipped', skipped }])
  const [row] = await rows()
  assert.deepEqual([row?.state, row?.error_code], ['deferred', null])
  await recordListed(db, { jobId, asOf: new Date() }, [{ ref: ref('w/1', 'B'), kind: 'skipped', skipped }])
  const [again] = await rows()
  assert.deepEqual([again?.state, again?.error_code], ['skipped', skipped.code])
})

test('it skips a document when listed again if the worker could not record that', async () => {
  await recordListed(db, { jobId, asOf: new Date() }, [{ ref: ref('w/1'), kind: 'new' }])
  const { fence } = await claim()
  await finishDocuments(db, { jobId, fence }, [{ recordId: 'w/1', state: 'relist' }])
  await recordListed(db, { jobId, asOf: new Date() }, [{ ref: ref('w/1'), kind: 'skipped', skipped }])
  const [row] = await rows()
  assert.deepEqual([row?.state, row?.error_message], ['skipped', 'a film'])
})

test('it keeps the outcome of a worker however often the document is listed later', async () => {
  await recordListed(db, { jobId, asOf: new Date() }, [{ ref: ref('w/1'), kind: 'new' }])
  const { fence } = await claim()
  const error = { code: 'file_too_large', message: '700 MB' }
  await finishDocuments(db, { jobId, fence }, [{ recordId: 'w/1', state: 'skipped', error }])
  await recordListed(db, { jobId, asOf: new Date() }, [{ ref: ref('w/1'), kind: 'skipped', skipped }])
  const [row] = await rows()
  assert.deepEqual([row?.state, row?.kind, row?.error_message], ['skipped', 'new', '700 MB'])
})

test('it counts document warnings once, even if a task is repeated', async () => {
  const seen = ['w/1', 'w/2', 'w/3'].map((id) => ({ ref: ref(id), kind: 'new' as const }))
  await recordListed(db, { jobId, asOf: new Date() }, seen)
  const missing = (count: number, message: string) => [{ code: 'images_missing', count, message }]
  let fence = 0
  for (const _ of [1, 2]) {
    fence = (await claim()).fence
    await finishDocuments(db, { jobId, fence }, [
      { recordId: 'w/1', state: 'new', elements: 1, warnings: missing(2, 'b.png') },
    ])
  }
  await finishDocuments(db, { jobId, fence }, [
    { recordId: 'w/2', state: 'new', elements: 1, warnings: missing(3, 'a.png') },
    { recordId: 'w/3', state: 'new', elements: 1 },
  ])
  const sum = { code: 'images_missing', count: 5, documents: 2, message: 'b.png' }
  assert.deepEqual(await countMissing(db, jobId), [sum])
  assert.deepEqual(
    (await rows()).map((row) => row.warnings),
    [missing(2, 'b.png'), missing(3, 'a.png'), null],
  )
})

test('it records the end of a job once', async () => {
  const ending = { status: 'COMPLETED', processingStatus: 'SUCCESS', message: null } as const
  const warnings = [{ code: 'images_missing', message: 'five', documents: 3 }]
  assert.equal(await endJob(db, jobId, { ...ending, warnings }), true)
  assert.equal(await endJob(db, jobId, { ...ending, warnings }), false)
  assert.deepEqual((await readJob(db, jobId))?.warnings, warnings)
})

const task = randomUUID()
const claim = () => claimDocuments(db, { jobId, task, limit: 10 })
const rows = () => listDocuments(db, jobId, { limit: 10 })

async function addWorkflow(): Promise<string> {
  const id = randomUUID()
  await sql`insert into workspaces (id, name) select ${randomUUID()}::uuid, 'w' where not exists (select from workspaces)`.execute(
    db,
  )
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
    select ${id}::uuid, id, ${id}, 'custom', '[]', false, 'active' from workspaces limit 1`.execute(db)
  return id
}

function entry(recordId: string): Entry {
  return {
    recordId,
    scope: 'A',
    position: '1',
    locator: { page_id: '1', attachment_id: 'att1' },
    version: '7',
    stateHash: 's',
    settingsHash: 'h',
    elementIds: ['e1'],
    settled: true,
  }
}

function ref(recordId: string, scope = 'A'): DocumentRef {
  return {
    recordId,
    scope,
    position: '1',
    version: '7',
    title: 'film.mp4',
    url: 'https://wiki.example/film.mp4',
    locator: {},
    filename: 'film.mp4',
    createdAt: null,
    modifiedAt: null,
    author: null,
    scopeName: scope,
    labels: [],
    ancestors: [],
    access: NO_ACCESS,
  }
}
