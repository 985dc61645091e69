import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { ledgerOf } from '../../test/world/ledger-key.ts'
import { type FreshDatabase, freshDatabase } from '../../test/world/postgres.ts'
import type { AccessItem, Destination, WriteItem } from '../connectors/destination.ts'
import type {
  DocumentLocation,
  ListingPage,
  ListingStart,
  ReadOutcome,
  Source,
} from '../connectors/source.ts'
import type { DocumentRef, SourceDocument } from '../document.ts'
import { AppError } from '../errors.ts'
import { plan } from '../pipeline/nodes.ts'
import { runnerOf } from '../pipeline/runner.ts'
import { closeDatabase, type Database, openDatabase } from '../store/database.ts'
import { countStates } from '../store/jobs/job-counts.ts'
import { claimDocuments, deferMoved, recordListed } from '../store/jobs/job-documents.ts'
import { insertJob, type JobRow, markListed, markStarted, readJob } from '../store/jobs/jobs.ts'
import { insertUploads } from '../store/jobs/uploads.ts'
import { migrate } from '../store/migrate.ts'
import { migrations } from '../store/migrations/all.ts'
import type { Connections } from './connections.ts'
import type { TaskData, TaskName, TaskQueue } from './queue/engine.ts'
import { recoverJobs } from './queue/recover-jobs.ts'
import type { Resources } from './resources.ts'
import type { JobRuns } from './runs.ts'
import { taskHandlers } from './tasks/handlers.ts'

/** Which documents a search finds after a failed run, or after pages are gone. */

const workflowId = randomUUID()
const workspaceId = randomUUID()
let fresh: FreshDatabase
let db: Database
/** Pages of the wiki; a body of null returns 404. */
let wiki: Map<string, string | null>
let listed: Set<string>
/** Pages whose next read returns 404. */
let flaky: Set<string>
/** Documents and files that end the process of the worker so often. */
let deadly: Map<string, number>
/** How many documents each slice read. */
let sliceSizes: number[]
/** What the next slices fail with. */
let readErrors: (Error | null)[]
let delivery: AbortController
let broken: Error | null
/** Thrown after the first scope. */
let interrupted: Error | null
/** Where each listing began. */
let starts: ListingStart[]
/** The access of elements, by record and element id. */
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
  interrupted = null
  starts = []
  flaky = new Set()
  deadly = new Map()
  sliceSizes = []
  readErrors = []
  wiki = new Map([1, 2].map((id) => [`w/${id}`, `<p>Page ${id}.</p>`]))
  listed = new Set(wiki.keys())
})

afterEach(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

test('it fails documents of given up tasks, sends lost ones again and leaves the rest', async () => {
  const id = await insertListed(['waits', 'waits', 'deferred'])
  const [givenUp, lost] = [randomUUID(), randomUUID()]
  await claimDocuments(db, { jobId: id, task: givenUp, limit: 1 })
  await claimDocuments(db, { jobId: id, task: lost, limit: 1 })
  await recoverWith(['content'], [givenUp])
  const { failed, pending, in_progress: claimed } = await countStates(db, id)
  assert.deepEqual([failed, pending, claimed], [1, 2, 0])
  assert.deepEqual(queue, [{ name: 'content', data: { jobId: id, number: 0, claims: 50 } }])
})

test('it sends uploads again that a lost task claimed', async () => {
  const id = await insertListed(['waits'])
  await sql`update jobs set settings = settings || '{"source_id":null,"destination_id":null}' where id = ${id}`.execute(
    db,
  )
  await sql`update job_documents set state = 'in_progress', fence = 1 where job_id = ${id}`.execute(db)
  await recoverWith([])
  assert.deepEqual(queue, [{ name: 'files', data: { jobId: id, part: 0 } }])
  const { documents: claimed } = await claimDocuments(db, { jobId: id, task: randomUUID(), limit: 10 })
  assert.equal(claimed.length, 1)
})

describe('a document that ends the process of the worker', () => {
  test('it is set aside after two deaths alone, and the others are finished', async () => {
    wiki = new Map([1, 2, 3, 4].map((id) => [`w/${id}`, `<p>Page ${id}.</p>`]))
    listed = new Set(wiki.keys())
    deadly.set('w/2', 100)
    const id = await insert()
    queue = [{ name: 'list', data: { jobId: id } }]
    assert.equal(await workThroughDeaths(), 4)
    assert.deepEqual(searchable(), ['w/1', 'w/3', 'w/4'])
    const job = await readJob(db, id)
    assert.deepEqual([job?.status, job?.processing_status], ['COMPLETED', 'COMPLETED_WITH_ERRORS'])
    const failed = await sql<{ record_id: string; error_code: string; error_message: string }>`
      select record_id, error_code, error_message from job_documents where job_id = ${id} and state = 'failed'
    `.execute(db)
    assert.deepEqual(
      failed.rows.map((row) => [row.record_id, row.error_code]),
      [['w/2', 'worker_stopped']],
    )
    assert.match(failed.rows[0]?.error_message ?? '', /alone stopped the worker twice/)
    // The next run tries again.
    deadly.clear()
    await runJob()
    assert.deepEqual(searchable(), ['w/1', 'w/2', 'w/3', 'w/4'])
  })

  test('it is finished after two deaths', async () => {
    deadly.set('w/1', 2)
    queue = [{ name: 'list', data: { jobId: await insert() } }]
    assert.equal(await workThroughDeaths(), 2)
    assert.deepEqual(searchable(), ['w/1', 'w/2'])
  })

  test('it finishes the documents of two of them, whatever the retries of their task', async () => {
    wiki = new Map([1, 2, 3].map((id) => [`w/${id}`, `<p>Page ${id}.</p>`]))
    listed = new Set(wiki.keys())
    deadly = new Map([1, 2].map((id) => [`w/${id}`, 100]))
    queue = [{ name: 'list', data: { jobId: await insert() } }]
    assert.equal(await workThroughDeaths(), 6)
    assert.deepEqual(searchable(), ['w/3'])
  })

  test('it costs the documents next to it little time: they are read in groups', async () => {
    wiki = new Map(Array.from({ length: 40 }, (_, id) => [`w/${id}`, `<p>Page ${id}.</p>`]))
    listed = new Set(wiki.keys())
    deadly.set('w/0', 1)
    queue = [{ name: 'list', data: { jobId: await insert() } }]
    assert.equal(await workThroughDeaths(), 1)
    assert.equal(searchable().length, 40)
    assert.deepEqual(sliceSizes, [40, 10, 10, 10, 10])
  })

  test('it does not keep the others from ending, even if reading them fails once', async () => {
    wiki = new Map(Array.from({ length: 8 }, (_, id) => [`w/${id}`, `<p>Page ${id}.</p>`]))
    listed = new Set(wiki.keys())
    deadly.set('w/0', 1)
    readErrors = [null, new Error('away')]
    const id = await insert()
    queue = [{ name: 'list', data: { jobId: id } }]
    assert.equal(await workThroughDeaths(), 1)
    assert.deepEqual([searchable().length, (await readJob(db, id))?.status], [8, 'COMPLETED'])
  })

  test('it is a file of an upload: the other files are finished', async () => {
    const id = await insert({
      ...{ source_id: null, destination_id: null },
      nodes: [{ id: randomUUID(), name: 'a', type: 'partition', subtype: 'auto', settings: {} }],
    })
    const files = ['a.txt', 'bad.txt', 'c.txt'].map((filename) => {
      return { id: randomUUID(), filename, size: 1, read: async () => Buffer.from(`text of ${filename}`) }
    })
    await insertUploads(db, id, files)
    const asOf = new Date()
    const documents = files.map(({ id: recordId, filename }) => {
      return { ref: { ...ref(recordId), filename }, kind: 'new' as const }
    })
    await recordListed(db, { jobId: id, asOf }, documents)
    await markListed(db, { id, listing_round: 0 }, true)
    deadly.set('bad.txt', 100)
    queue = [{ name: 'files', data: { jobId: id } }]
    assert.equal(await workThroughDeaths(), 3)
    const { new: done, failed } = await countStates(db, id)
    assert.deepEqual([done, failed, (await readJob(db, id))?.status], [2, 1, 'COMPLETED'])
  })
})

test('it fails no documents that are listed again while the sweep runs', async () => {
  const id = await insertListed(['deferred'])
  const [finish, list] = ['finish', 'list'] as const
  await recoverWith([], [], async () => {
    await deliver({ name: finish, data: { jobId: id } })
    await deliver({ name: list, data: { jobId: id } })
  })
  assert.equal((await countStates(db, id)).failed, 0)
  await work()
  assert.equal((await readJob(db, id))?.processing_status, 'SUCCESS')
})

test('it does not finish a job whose documents wait, however often finish is delivered', async () => {
  const id = await insertListed(['deferred'])
  const finish = { name: 'finish', data: { jobId: id } } as const
  const status = async () => (await readJob(db, id))?.status
  await deliver(finish)
  assert.deepEqual(queue, [{ name: 'list', data: { jobId: id } }])
  // The worker died behind the reopened listing, so the queue delivers the task again.
  await deliver(finish)
  assert.deepEqual([await status(), (await readJob(db, id))?.listing_round], ['IN_PROGRESS', 1])
  await deliver({ name: 'list', data: { jobId: id } })
  await deliver(finish)
  assert.deepEqual([await status(), documents()], ['IN_PROGRESS', []])
  await work()
  assert.deepEqual([(await readJob(db, id))?.processing_status, documents()], ['SUCCESS', ['w/1']])
  await deliver(finish)
  assert.equal(await status(), 'COMPLETED')
})

test('it ends every job the same if each task is delivered twice', async () => {
  const { job, states } = await runJob({}, 2)
  assert.deepEqual([job?.processing_status, states.new, documents()], ['SUCCESS', 2, ['w/1', 'w/2']])
  wiki.delete('w/1')
  const again = await runJob({ reprocessAll: true }, 2)
  assert.deepEqual([again.job?.removed, again.states.skipped, documents()], [1, 1, ['w/2']])
})

test('it continues an interrupted listing behind what was recorded', async () => {
  await runJob()
  wiki.set('w/3', '<p>Page 3.</p>')
  listed.add('w/3')
  const id = await insert()
  const list = { name: 'list', data: { jobId: id } } as const
  interrupted = new Error('the connection was lost')
  await assert.rejects(deliver(list, { lastTry: false }), /the connection was lost/)
  assert.equal((await readJob(db, id))?.status, 'IN_PROGRESS')
  interrupted = null
  // Pages that leave later are found in the next run.
  wiki.delete('w/1')
  listed.delete('w/1')
  await deliver(list)
  assert.deepEqual([...(starts.at(-1)?.ended ?? [])], ['A'])
  await work()
  const { new: added, unchanged } = await countStates(db, id)
  const job = await readJob(db, id)
  assert.deepEqual([job?.processing_status, added, unchanged, job?.removed], ['SUCCESS', 1, 2, 0])
  const { job: next } = await runJob()
  assert.deepEqual([next?.removed, documents()], [1, ['w/2', 'w/3']])
})

test('it removes a page deleted after its listing in the same run', async () => {
  await runJob()
  wiki.delete('w/1')
  const { job, states } = await runJob({ reprocessAll: true })
  assert.deepEqual([searchable(), documents()], [['w/2'], ['w/2']])
  assert.deepEqual([job?.removed, states.skipped, states.changed], [1, 1, 1])
})

test('it hides pages whose bodies return 404 and does not remove them', async () => {
  wiki = new Map(Array.from({ length: 30 }, (_, id) => [`w/${id}`, `<p>Page ${id}.</p>`]))
  listed = new Set(wiki.keys())
  await runJob()
  for (const recordId of wiki.keys()) wiki.set(recordId, null)
  const { job, states } = await runJob({ reprocessAll: true })
  assert.deepEqual([searchable(), documents().length], [[], 30])
  assert.deepEqual([job?.removed, states.skipped], [0, 30])
  assert.ok(job?.warnings.some(({ code }) => code === 'documents_hidden'))
  for (const recordId of wiki.keys()) wiki.set(recordId, '<p>Back.</p>')
  await runJob()
  assert.equal(searchable().length, 30)
})

test('it holds back the removal of many pages that return 404', async () => {
  wiki = new Map(Array.from({ length: 30 }, (_, id) => [`w/${id}`, `<p>Page ${id}.</p>`]))
  listed = new Set(wiki.keys())
  await runJob()
  wiki.clear()
  const { job } = await runJob({ reprocessAll: true })
  assert.deepEqual([job?.held_back, job?.removed, searchable(), documents().length], [30, 0, [], 30])
})

test('it finds a page again in the same run after a single 404', async () => {
  await runJob()
  flaky.add('w/1')
  const { job, states } = await runJob({ reprocessAll: true })
  assert.deepEqual(searchable(), ['w/1', 'w/2'])
  assert.deepEqual([job?.removed, states.skipped, states.changed], [0, 0, 2])
  assert.equal(job?.processing_status, 'SUCCESS', job?.message ?? '')
})

test('it hides a document again in a repair that another program made visible', async () => {
  await runJob()
  listed.delete('w/2')
  await runJob()
  assert.deepEqual([searchable(), documents()], [['w/1'], ['w/1', 'w/2']])
  for (const key of index.keys()) index.set(key, 'user:ann')
  await sql`update documents set settled = false where record_id = 'w/2'`.execute(db)
  await runJob({ repair: true })
  assert.deepEqual([searchable(), documents()], [['w/1'], ['w/1', 'w/2']])
})

/** Documents that a search finds. */
function searchable(): string[] {
  return documents([...index].filter(([, clause]) => String(clause) === 'user:ann'))
}

function documents(elements: Iterable<[string, unknown]> = index): string[] {
  return [...new Set([...elements].flatMap(([key]) => key.split(' ', 1)))].sort()
}

type JobOptions = { reprocessAll?: boolean; repair?: true } & Partial<JobRow['settings']>

async function insert({ reprocessAll = false, ...options }: JobOptions = {}): Promise<string> {
  const id = randomUUID()
  const settings = {
    source_id: randomUUID(),
    destination_id: randomUUID(),
    nodes: [],
    reprocess_all: reprocessAll,
    ...options,
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

const uploadQuotas = { outputBytes: 1_000_000 }
const runners = {
  configured: {},
  forTenant: () => runners,
  create: async () => ({
    partition: async ({ ref: { filename } }: SourceDocument) => {
      dieOf(filename)
      return { elements: [], warnings: [] }
    },
  }),
}

function taskContext() {
  const send = async (name: TaskName, data: TaskData[TaskName]) => void queue.push({ name, data })
  const sendAll = async (name: TaskName, tasks: TaskData[TaskName][]) => {
    for (const data of tasks) queue.push({ name, data })
  }
  const nothing = () => {}
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
  // Only the parts that a run uses.
  return {
    resources: { db, log, runners, meter: nothing, uploadQuotas } as unknown as Resources,
    connections: { openDestination: async () => destination } as unknown as Connections,
    engine: { send, sendAll } as unknown as TaskQueue,
    runs: runs(),
  }
}

/** Runs a job, one task after the other. */
async function runJob(options: JobOptions = {}, deliveries = 1) {
  const id = await insert(options)
  queue = [{ name: 'list', data: { jobId: id } }]
  await work(deliveries)
  return { job: await readJob(db, id), states: await countStates(db, id) }
}

async function work(deliveries = 1): Promise<void> {
  for (let task = queue.shift(); task; task = queue.shift())
    for (let delivery = 0; delivery < deliveries; delivery++) await deliver(task)
}

async function deliver(
  task: (typeof queue)[number],
  { lastTry = true, ...more }: { lastTry?: boolean; tries?: number; afterDeath?: true } = {},
): Promise<void> {
  const handle = taskHandlers(taskContext())[task.name as 'list'] as (
    data: TaskData[TaskName],
    given: object,
  ) => Promise<void>
  delivery = new AbortController()
  await handle(task.data, { id: idOf(task), tries: 1, lastTry, signal: delivery.signal, ...more })
}

/** Delivers each task again until its process survives. Returns how many died. */
async function workThroughDeaths(): Promise<number> {
  let deaths = 0
  for (let task = queue.shift(); task; task = queue.shift()) {
    let again = {}
    for (let tries = 1; ; tries++) {
      const error = await deliver(task, { lastTry: false, tries, ...again }).then(
        () => null,
        (reason) => reason,
      )
      if (error === null) break
      if (error !== KILLED && error.message !== 'away') throw error
      again = error === KILLED ? { afterDeath: true } : {}
      if (error === KILLED) deaths++
    }
  }
  return deaths
}

const KILLED = new Error('killed')

/** Nothing is recorded after the death of a process. */
function dieOf(name: string): void {
  const times = deadly.get(name) ?? 0
  if (times === 0) return
  deadly.set(name, times - 1)
  delivery.abort(KILLED)
  throw KILLED
}

/** The queue delivers a task again under the same id. */
function idOf({ name, data }: (typeof queue)[number]): string {
  const key = `${name} ${JSON.stringify(data)}`
  const id = taskIds.get(key) ?? randomUUID()
  taskIds.set(key, id)
  return id
}
const taskIds = new Map<string, string>()

/** A job after its listing. */
async function insertListed(states: ('waits' | 'deferred')[]): Promise<string> {
  const id = await insert()
  await markStarted(db, id)
  wiki = new Map(states.map((_, at) => [`w/${at + 1}`, `<p>Page ${at + 1}.</p>`]))
  listed = new Set(wiki.keys())
  for (const [at, state] of states.entries())
    if (state === 'deferred') await deferMoved(db, id, [{ recordId: `w/${at + 1}`, scope: 'A' }])
    else await recordListed(db, { jobId: id, asOf: new Date() }, [{ ref: ref(`w/${at + 1}`), kind: 'new' }])
  await markListed(db, { id, listing_round: 0 }, true)
  return id
}

/** `meanwhile` runs between reading the tasks and acting on them. */
async function recoverWith(
  givenUp: TaskName[],
  givenUpTasks: string[] = [],
  meanwhile = async () => {},
): Promise<void> {
  await sql`update jobs set created_at = now() - interval '1 minute'`.execute(db)
  const { engine, ...rest } = taskContext()
  const lostJobs = async (jobIds: string[]) => {
    await meanwhile()
    return jobIds.map((jobId) => ({ jobId, givenUp, givenUpTasks }))
  }
  await recoverJobs({ ...rest, engine: { ...engine, lostJobs } })
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
    async *list(_: AbortSignal, from?: ListingStart): AsyncGenerator<ListingPage> {
      if (from) starts.push(from)
      if (broken) throw broken
      const refs = [...listed].map(ref)
      yield { kind: 'refs', scope: 'A', refs, asOf: new Date() }
      yield { kind: 'end', scope: 'A' }
      if (interrupted) throw interrupted
      yield { kind: 'complete' }
    },
    async *read(refs: DocumentRef[]): AsyncGenerator<ReadOutcome> {
      sliceSizes.push(refs.length)
      const error = readErrors.shift()
      if (error) throw error
      for (const each of refs) {
        dieOf(each.recordId)
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
    ...{ source, destination, identity: 'index', swap: null },
    ...{ settingsHash: 'settings', runner: runnerOf(plan([]), null) },
  }
  return {
    with: async (_job, work) => work({ ...run, ledger: await ledgerOf(db, workflowId) }),
    close: async () => {},
  }
}

function ref(recordId: string): DocumentRef {
  const none = { users: [], groups: [] }
  const version = String(wiki.get(recordId) ?? '')
  return {
    ...{ recordId, scope: 'A', position: recordId, version, title: 'Page', url: '', locator: {} },
    ...{ filename: '1.html', createdAt: null, modifiedAt: null, author: null, labels: [], ancestors: [] },
    scopeName: 'A',
    access: {
      permissions: [{ read: none }, { update: none }, { delete: none }],
      clauses: { c0: ['user:ann'] },
    },
  }
}
