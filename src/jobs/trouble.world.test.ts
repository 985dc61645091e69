import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import type {
  AccessItem,
  Destination,
  DocumentLocation,
  ListingPage,
  ReadOutcome,
  Source,
  WriteItem,
} from '../connectors/connector.ts'
import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import { plan } from '../pipeline/nodes.ts'
import { runnerOf } from '../pipeline/runner.ts'
import { closeDatabase, type Database, openDatabase } from '../store/database.ts'
import { countStates, recordSeen } from '../store/jobs/job-documents.ts'
import { insertJob, markListed, markStarted, readJob } from '../store/jobs/jobs.ts'
import { migrate } from '../store/migrate.ts'
import { migrations } from '../store/migrations/all.ts'
import type { Connections } from './connections.ts'
import type { TaskData, TaskName, TaskQueue } from './engine.ts'
import { recoverJobs } from './recover-jobs.ts'
import type { Resources } from './resources.ts'
import type { JobRuns } from './runs.ts'
import { taskHandlers } from './tasks/handlers.ts'

/** What people find after a run that failed, or that documents vanished from. */

const workflowId = randomUUID()
const workspaceId = randomUUID()
let fresh: FreshDatabase
let db: Database
/** Pages of the wiki; a body of null answers 404. */
let wiki: Map<string, string | null>
let listed: Set<string>
/** Pages whose next read answers 404. */
let flaky: Set<string>
let broken: Error | null
/** Who finds the elements, by record and element id. */
let index: Map<string, unknown>
let queue: { name: TaskName; data: TaskData[TaskName] }[]

beforeEach(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
  await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
    values (${workflowId}, ${workspaceId}, 'w', 'custom', '[]', false, 'active')`.execute(db)
  index = new Map()
  queue = []
  broken = null
  flaky = new Set()
  wiki = new Map([1, 2].map((id) => [`w/${id}`, `<p>Page ${id}.</p>`]))
  listed = new Set(wiki.keys())
})

afterEach(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

test('a run that fails for any reason but the index hides text of an earlier release', async () => {
  await runJob()
  assert.deepEqual(found(), ['w/1', 'w/2'])
  for (const error of [new TypeError('no such thing'), new AppError('internal', 'a bug')]) {
    await makeOld()
    broken = error
    const { job } = await runJob()
    assert.deepEqual([job?.status, found()], ['FAILED', []], error.message)
    assert.deepEqual(
      job?.warnings.map(({ code, documents }) => [code, documents]),
      [['documents_hidden', 2]],
    )
    broken = null
    await runJob()
    assert.deepEqual(found(), ['w/1', 'w/2'])
  }
})

test('a run whose listing was given up hides text of an earlier release', async () => {
  await runJob()
  await makeOld()
  const id = await insert()
  await recoverWith(['list'])
  assert.equal((await readJob(db, id))?.status, 'FAILED')
  assert.deepEqual(found(), [])
})

test('it ends the documents of lost slices, and not those that wait to be listed again', async () => {
  const id = await insert()
  await markStarted(db, id)
  const of = { jobId: id, asOf: new Date() }
  await recordSeen(db, of, [{ ref: ref('w/1'), kind: 'new', slice: 0 }])
  await recordSeen(db, of, [{ ref: ref('w/2'), kind: 'new', slice: null }])
  await markListed(db, id, true)
  await recoverWith([])
  const { failed, pending } = await countStates(db, id)
  assert.deepEqual([failed, pending, queue.map(({ name }) => name)], [1, 1, ['finish']])
})

test('a page that is deleted between listing and reading leaves in the same run', async () => {
  await runJob()
  wiki.delete('w/1')
  const { job, states } = await runJob({ reprocessAll: true })
  assert.deepEqual([found(), documents()], [['w/2'], ['w/2']])
  assert.deepEqual([job?.removed, states.skipped, states.changed], [1, 1, 1])
})

test('pages whose bodies all answer 404 are hidden, not removed', async () => {
  wiki = new Map(Array.from({ length: 30 }, (_, id) => [`w/${id}`, `<p>Page ${id}.</p>`]))
  listed = new Set(wiki.keys())
  await runJob()
  for (const recordId of wiki.keys()) wiki.set(recordId, null)
  const { job, states } = await runJob({ reprocessAll: true })
  assert.deepEqual([found(), documents().length], [[], 30])
  assert.deepEqual([job?.removed, states.skipped], [0, 30])
  assert.ok(job?.warnings.some(({ code }) => code === 'documents_hidden'))
  for (const recordId of wiki.keys()) wiki.set(recordId, '<p>Back.</p>')
  await runJob()
  assert.equal(found().length, 30)
})

test('pages that answer 404 everywhere are held back by the guard', async () => {
  wiki = new Map(Array.from({ length: 30 }, (_, id) => [`w/${id}`, `<p>Page ${id}.</p>`]))
  listed = new Set(wiki.keys())
  await runJob()
  wiki.clear()
  const { job } = await runJob({ reprocessAll: true })
  assert.deepEqual([job?.held_back, job?.removed, found(), documents().length], [30, 0, [], 30])
})

test('a page that answers 404 once is found again in the same run', async () => {
  await runJob()
  flaky.add('w/1')
  const { job, states } = await runJob({ reprocessAll: true })
  assert.deepEqual(found(), ['w/1', 'w/2'])
  assert.deepEqual([job?.removed, states.skipped, states.changed], [0, 0, 2])
  assert.equal(job?.processing_status, 'SUCCESS', job?.message ?? '')
})

test('a repair hides what was hidden and shown again from outside', async () => {
  await runJob()
  listed.delete('w/2')
  await runJob()
  assert.deepEqual([found(), documents()], [['w/1'], ['w/1', 'w/2']])
  for (const key of index.keys()) index.set(key, 'user:ann')
  await sql`update documents set settled = false where record_id = 'w/2'`.execute(db)
  await runJob({ repair: true })
  assert.deepEqual([found(), documents()], [['w/1'], ['w/1', 'w/2']])
})

/** As an earlier release wrote them. */
async function makeOld(): Promise<void> {
  await sql`update documents set own_text = default`.execute(db)
}

/** Documents that people find. */
function found(): string[] {
  return documents([...index].filter(([, clause]) => String(clause) === 'user:ann'))
}

function documents(elements: Iterable<[string, unknown]> = index): string[] {
  return [...new Set([...elements].flatMap(([key]) => key.split(' ', 1)))].sort()
}

type Given = { reprocessAll?: boolean; repair?: true }

async function insert({ reprocessAll = false, ...given }: Given = {}): Promise<string> {
  const id = randomUUID()
  const settings = {
    source_id: randomUUID(),
    destination_id: randomUUID(),
    nodes: [],
    reprocess_all: reprocessAll,
    ...given,
  }
  const about = {
    workspaceId,
    workflowId,
    workflowName: 'w',
    jobType: 'persistent' as const,
    startedBy: null,
  }
  await insertJob(db, { id, ...about, settings })
  return id
}

function setting() {
  const send = async (name: TaskName, data: TaskData[TaskName]) => void queue.push({ name, data })
  const nothing = () => {}
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
  // Only what a run asks of each is here.
  return {
    resources: { db, log } as unknown as Resources,
    connections: { openDestination: async () => destination } as unknown as Connections,
    engine: { send } as unknown as TaskQueue,
    runs: runs(),
  }
}

/** One run, with the tasks of its job done one after the other. */
async function runJob(given: Given = {}) {
  const id = await insert(given)
  queue = [{ name: 'list', data: { jobId: id } }]
  const work = taskHandlers(setting())
  const { signal } = new AbortController()
  for (let task = queue.shift(); task; task = queue.shift()) {
    const handle = work[task.name as 'list'] as (data: TaskData[TaskName], given: object) => Promise<void>
    await handle(task.data, { tries: 1, lastTry: true, signal })
  }
  return { job: await readJob(db, id), states: await countStates(db, id) }
}

async function recoverWith(givenUp: TaskName[]): Promise<void> {
  await sql`update jobs set created_at = now() - interval '1 minute'`.execute(db)
  const { engine, ...rest } = setting()
  const tasksOf = async () => ({ alive: false, givenUp })
  await recoverJobs({ ...rest, engine: { ...engine, tasksOf } })
}

const clauseOf = ({ dataSource }: Pick<AccessItem, 'dataSource'>) =>
  (dataSource.access as Record<string, unknown>).c0

const destination = {
  write: async (items: WriteItem[]) => {
    for (const item of items) index.set(`${item.recordId} ${item.element.element_id}`, clauseOf(item))
    return []
  },
  updateAccess: async (items: AccessItem[]) => {
    for (const item of items)
      for (const id of item.elementIds) index.set(`${item.recordId} ${id}`, clauseOf(item))
    return []
  },
  remove: async (elements: { recordId: string; elementIds: string[] }[]) => {
    for (const { recordId, elementIds } of elements)
      for (const id of elementIds) index.delete(`${recordId} ${id}`)
  },
  close: async () => {},
} as unknown as Destination

function runs(): JobRuns {
  const source = {
    async *list(): AsyncGenerator<ListingPage> {
      if (broken) throw broken
      const refs = [...listed].map(ref)
      yield { kind: 'refs', scope: 'A', refs, asOf: new Date() }
      yield { kind: 'end', scope: 'A' }
      yield { kind: 'complete' }
    },
    async *read(refs: DocumentRef[]): AsyncGenerator<ReadOutcome> {
      for (const each of refs) {
        const body = flaky.delete(each.recordId) ? null : wiki.get(each.recordId)
        const document = { ref: each, version: each.version, filetype: 'text/html', body: body ?? '' }
        yield body
          ? { ref: each, document }
          : { ref: each, error: new AppError('document_gone', 'it is gone') }
      }
    },
    locate: async (documents: { recordId: string }[]) =>
      new Map<string, DocumentLocation>(
        documents.map(({ recordId }) => [recordId, wiki.has(recordId) ? { scope: 'A', position: '' } : null]),
      ),
  } as unknown as Source
  const run = {
    ...{ source, destination, ledger: { workflowId }, swap: null },
    ...{ settingsHash: 'settings', runner: runnerOf(plan([]), null) },
  }
  return { with: (_job, work) => work(run), close: async () => {} }
}

function ref(recordId: string): DocumentRef {
  const none = { users: [], groups: [] }
  const version = String(wiki.get(recordId) ?? '')
  return {
    ...{ recordId, scope: 'A', position: recordId, version, title: 'Page', url: '', locator: {} },
    ...{ filename: '1.html', createdAt: null, modifiedAt: null, author: null, labels: [], ancestors: [] },
    space: { key: 'A', name: 'A' },
    access: {
      permissions: [{ read: none }, { update: none }, { delete: none }],
      clauses: { c0: ['user:ann'] },
    },
  }
}
