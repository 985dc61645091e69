import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { ledgerOf } from '../../test/world/ledger-key.ts'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import type { AccessItem, Destination, WriteItem } from '../connectors/destination.ts'
import type { DocumentLocation, ListingPage, ReadOutcome, Source } from '../connectors/source.ts'
import type { DocumentRef, SourceDocument } from '../document.ts'
import { AppError } from '../errors.ts'
import { runHash } from '../ingest/run-hash.ts'
import { NO_ACCESS } from '../permissions/levels.ts'
import { defaultNodes, plan } from '../pipeline/nodes.ts'
import { runnerOf } from '../pipeline/runner.ts'
import { closeDatabase, type Database, openDatabase } from '../store/database.ts'
import { listDocuments } from '../store/jobs/document-pages.ts'
import { countStates } from '../store/jobs/job-counts.ts'
import { insertJob, type JobRow, readJob } from '../store/jobs/jobs.ts'
import { migrate } from '../store/migrate.ts'
import { migrations } from '../store/migrations/all.ts'
import type { Connections } from './connections.ts'
import type { TaskData, TaskName, TaskQueue } from './queue/engine.ts'
import type { Resources } from './resources.ts'
import type { JobRuns } from './runs.ts'
import { taskHandlers } from './tasks/handlers.ts'

/** A document of the wiki and the result of reading it. */
type WikiDocument = { ref: DocumentRef; read: Partial<SourceDocument> | AppError }

let fresh: FreshDatabase
let db: Database
let wiki: WikiDocument[]
let index: Map<string, WriteItem>
let readIds: string[]
/** The source returns one document and then keeps the slice waiting. */
let isSlow = false
const workflowId = randomUUID()
const workspaceId = randomUUID()

beforeEach(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
    values (${workflowId}, ${workspaceId}, 'w', 'custom', '[]', false, 'active')`.execute(db)
  index = new Map()
  isSlow = false
})

afterEach(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

test('it writes and removes files with their pages, and reads skipped files once', async () => {
  const film = new AppError('document_unsupported', 'reading film.mp4: it is video/mp4')
  const warnings = [
    { code: 'images_missing', count: 2, message: 'cat.png: the wiki returns 404' },
    { code: 'macros_dropped', count: 2, message: 'two macros', names: ['children', 'jira'] },
  ]
  const dropped = [{ code: 'macros_dropped', count: 1, message: 'one macro', names: ['jira'] }]
  wiki = [
    { ref: ref('100'), read: { body: '<p>A page.</p>', filetype: 'text/html', warnings } },
    {
      ref: ref('100', { recordId: 'w/att555' }),
      read: { body: Buffer.from('Notes.'), filetype: 'text/plain' },
    },
    { ref: ref('100', { recordId: 'w/att556' }), read: film },
    {
      ref: ref('200'),
      read: { body: '<p>Mine and yours.</p>', filetype: 'text/html', incomplete: true, warnings: dropped },
    },
    { ref: ref('300', { undecided: true }), read: { body: '<p>Not yet.</p>', filetype: 'text/html' } },
  ]

  const first = await runJob()
  assert.deepEqual(first.states, { new: 3, skipped: 1 })
  assert.deepEqual(inIndex(), ['w/100', 'w/200', 'w/att555'])
  assert.equal(first.job.processing_status, 'SUCCESS')
  const expected =
    '2 images on 1 page could not be included; the page is written without them. One of them: cat.png'
  assert.ok(first.job.message?.startsWith(expected), first.job.message ?? 'nothing')
  assert.deepEqual(
    first.job.warnings.map(({ code, documents }) => [code, documents]),
    [
      ['images_missing', 1],
      ['macros_dropped', 2],
    ],
  )
  assert.equal(
    first.job.warnings[1]?.message,
    'Content of other pages or systems is left out: jira (2 documents), children (1)',
  )
  assert.deepEqual(first.documents.get('w/100')?.warnings, warnings)

  const second = await runJob()
  assert.deepEqual(readIds, ['w/200'], 'only the incomplete page is read again')
  assert.deepEqual(second.states, { changed: 1, unchanged: 2, skipped: 1 })
  assert.equal(second.documents.get('w/att556')?.error_message, film.message)
  assert.deepEqual(
    second.job.warnings.map(({ code, documents }) => [code, documents]),
    [['macros_dropped', 1]],
  )

  // The two files swap their types; an undecided page in the index still gets new permissions.
  wiki = [
    { ...wiki[0]!, ref: ref('100', { undecided: true, labels: ['new'] }) },
    { ref: ref('100', { recordId: 'w/att555', version: '2' }), read: film },
    {
      ref: ref('100', { recordId: 'w/att556', version: '2' }),
      read: { body: Buffer.from('Late notes.'), filetype: 'text/plain' },
    },
  ]
  const third = await runJob()
  assert.deepEqual(third.states, { permissions_only: 1, changed: 1, skipped: 1, removed: 1 })
  assert.deepEqual(inIndex(), ['w/100', 'w/att556'])

  wiki = [{ ...wiki[0]!, ref: ref('100', { labels: ['new'] }) }]
  const fourth = await runJob()
  assert.deepEqual(
    fourth.states,
    { unchanged: 1, removed: 1 },
    'entries of skipped files are dropped without a count',
  )
  assert.equal(fourth.job.removed, 1)
  const { rows } = await sql<{ record_id: string }>`select record_id from documents`.execute(db)
  assert.deepEqual(rows, [{ record_id: 'w/100' }])
})

test('it retries only the failed files', async () => {
  wiki = [
    { ref: ref('100'), read: { body: '<p>A page.</p>', filetype: 'text/html' } },
    { ref: ref('100', { recordId: 'w/att1' }), read: new AppError('source_failed', 'no answer') },
  ]
  const first = await runJob()
  assert.deepEqual(first.states, { new: 1, failed: 1 })
  wiki[1]!.read = { body: Buffer.from('Here at last.'), filetype: 'text/plain' }
  const again = await runJob(first.job.id)
  assert.deepEqual(again.states, { new: 1 })
  assert.deepEqual([readIds, inIndex()], [['w/att1'], ['w/100', 'w/att1']])
})

test('it returns documents to the queue that a slow source withholds', async () => {
  isSlow = true
  const read = { body: '<p>A page.</p>', filetype: 'text/html' }
  wiki = ['100', '200', '300'].map((id) => ({ ref: ref(id), read }))
  const { job, states, documents } = await runJob(undefined, 0)
  assert.deepEqual([states, inIndex()], [{ new: 3 }, ['w/100', 'w/200', 'w/300']])
  assert.equal(job.processing_status, 'SUCCESS')
  assert.deepEqual([...readIds].sort(), ['w/100', 'w/200', 'w/300'], 'each is read once')
  assert.deepEqual(
    [...documents.values()].map(({ attempts }) => attempts),
    [1, 1, 1],
  )
})

/** Runs a job, one task after the other. */
async function runJob(retryOf?: string, sliceMs?: number) {
  const settings = {
    source_id: randomUUID(),
    destination_id: randomUUID(),
    nodes: [],
    reprocess_all: false,
    ...(retryOf ? { retry_of: retryOf } : {}),
  }
  const id = randomUUID()
  await insertJob(db, {
    id,
    workspaceId,
    workflowId,
    workflowName: 'w',
    jobType: 'persistent',
    startedBy: null,
    settings,
  })
  readIds = []
  const queue: { name: TaskName; data: TaskData[TaskName] }[] = [{ name: 'list', data: { jobId: id } }]
  const engine = {
    send: async (name: TaskName, data: TaskData[TaskName]) => void queue.push({ name, data }),
    sendAll: async (name: TaskName, tasks: TaskData[TaskName][]) => {
      for (const data of tasks) queue.push({ name, data })
    },
  } as unknown as TaskQueue
  const nothing = () => {}
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
  const work = taskHandlers({
    // Only the parts that a run uses.
    resources: { db, log } as unknown as Resources,
    connections: {} as Connections,
    engine,
    runs: runs(),
    ...(sliceMs === undefined ? {} : { sliceMs }),
  })
  const { signal } = new AbortController()
  for (let task = queue.shift(); task; task = queue.shift()) {
    const handle = work[task.name as 'list'] as (data: TaskData[TaskName], given: object) => Promise<void>
    await handle(task.data, { tries: 1, lastTry: false, signal })
  }
  const job = (await readJob(db, id)) as JobRow
  const states = Object.fromEntries(
    Object.entries(await countStates(db, id)).filter(([, count]) => count > 0),
  )
  const rows = await listDocuments(db, id, { limit: 100 })
  return { job, states, documents: new Map(rows.map((row) => [row.record_id, row])) }
}

function runs(): JobRuns {
  const nodes = defaultNodes().slice(0, 2)
  const run = {
    source: { list, read, locate } as unknown as Source,
    destination: { write, updateAccess, remove } as unknown as Destination,
    identity: 'index',
    swap: null,
    settingsHash: runHash(nodes, 'index', { rendition: '', vectors: undefined }),
    runner: runnerOf(plan(nodes), null),
  }
  return {
    with: async (_job, work) => work({ ...run, ledger: await ledgerOf(db, workflowId) }),
    close: async () => {},
  }
}

async function* list(): AsyncGenerator<ListingPage> {
  yield { kind: 'refs', scope: 'A', refs: wiki.map((item) => item.ref), asOf: new Date() }
  yield { kind: 'end', scope: 'A' }
  yield { kind: 'complete' }
}

async function* read(
  refs: DocumentRef[],
  _accepts: unknown,
  signal: AbortSignal,
): AsyncGenerator<ReadOutcome> {
  for (const [at, each] of refs.entries()) {
    if (isSlow && at > 0) await sleep(600_000, undefined, { signal })
    readIds.push(each.recordId)
    const item = wiki.find(({ ref: { recordId } }) => recordId === each.recordId)
    if (!item || item.read instanceof AppError) {
      yield { ref: each, error: item ? (item.read as AppError) : new AppError('document_gone', 'gone') }
    } else {
      const empty = { ref: each, version: each.version, filetype: '', body: '' }
      yield { ref: each, document: { ...empty, ...item.read } }
    }
  }
}

async function locate(documents: { recordId: string }[]): Promise<Map<string, DocumentLocation>> {
  const there = new Set(wiki.map((item) => item.ref.recordId))
  return new Map(
    documents.map(({ recordId }) => [recordId, there.has(recordId) ? { scope: 'A', position: '' } : null]),
  )
}

async function write(items: WriteItem[]) {
  for (const item of items) index.set(`${item.recordId} ${item.element.element_id}`, item)
  return []
}

async function updateAccess(_items: AccessItem[]) {
  return []
}

async function remove(elements: { recordId: string; elementIds: string[] }[]): Promise<void> {
  for (const { recordId, elementIds } of elements)
    for (const id of elementIds) index.delete(`${recordId} ${id}`)
}

function inIndex(): string[] {
  return [...new Set([...index.values()].map(({ recordId }) => recordId))].sort()
}

function ref(page: string, more: Partial<DocumentRef> = {}): DocumentRef {
  return {
    recordId: `w/${page}`,
    scope: 'A',
    position: page,
    version: '1',
    title: `Document ${page}`,
    url: `https://wiki.example/${page}`,
    locator: { page_id: page },
    filename: `${page}.html`,
    createdAt: null,
    modifiedAt: null,
    author: null,
    scopeName: 'A',
    labels: [],
    ancestors: [],
    access: NO_ACCESS,
    ...more,
  }
}
