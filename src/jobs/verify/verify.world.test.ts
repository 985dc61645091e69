import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { type FreshDatabase, freshDatabase } from '../../../test/world/postgres.ts'
import type { DataSource, Destination, StoredElement } from '../../connectors/destination.ts'
import { writtenStateHash } from '../../ingest/data-source.ts'
import { closeDatabase, type Database, openDatabase } from '../../store/database.ts'
import { endJob, readJob } from '../../store/jobs/jobs.ts'
import { nextFence } from '../../store/ledger/fences.ts'
import { searchedLedger } from '../../store/ledger/ledgers.ts'
import { migrate } from '../../store/migrate.ts'
import { migrations } from '../../store/migrations/all.ts'
import { listFindings, scopeViews } from '../../store/verifications/findings.ts'
import { insertVerification, readVerification } from '../../store/verifications/verifications.ts'
import type { Connections } from '../connections.ts'
import type { TaskQueue } from '../queue/engine.ts'
import type { Resources } from '../resources.ts'
import { SHOWN_FINDINGS, verifyTask } from '../tasks/verify.ts'

const nothing = () => {}
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
const workspaceId = randomUUID()
const dataSource: DataSource = { version: '1', record_locator: { space_key: 'MILL' } }
const stateHash = writtenStateHash(dataSource)
const { signal } = new AbortController()
let fresh: FreshDatabase
let db: Database
let workflowId: string
let destinationId: string
let index: FakeIndex

before(async () => {
  fresh = await freshDatabase()
  db = openDatabase(fresh.url)
  await migrate(db, migrations)
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
})

after(async () => {
  await closeDatabase(db)
  await fresh.drop()
})

beforeEach(async () => {
  index = new FakeIndex()
  await addWorkflow()
})

/** With a destination of its own. */
async function addWorkflow(): Promise<void> {
  ;[workflowId, destinationId] = [randomUUID(), randomUUID()]
  await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
    values (${destinationId}, ${workspaceId}, 'destination', 'shelf', ${destinationId}, '{}', '{}')`.execute(
    db,
  )
  await sql`insert into workflows (id, workspace_id, name, destination_id, workflow_type, nodes, reprocess_all, state)
    values (${workflowId}, ${workspaceId}, ${workflowId}, ${destinationId}, 'custom', '[]', false, 'active')`.execute(
    db,
  )
}

test('it reaches the same result when a task dies at any request, and in two tasks at once', async () => {
  for (let at = 0; at < 450; at++) await addDocument(`w/${at}`)
  index.remove('w/3')
  index.remove('w/444')
  for (let at = 0; at < 30; at++) index.put(`w/extra-${at % 10}`, `x${at}`)
  const expected = await resultOf(await verifyWith({}))
  assert.deepEqual([expected.missing, expected.extra], [2, 30])
  const { requests } = index
  for (let dies = 1; dies <= requests; dies++) {
    const jobId = await start()
    index.failAt(dies)
    await assert.rejects(runTask(jobId, 0, 60_000))
    assert.deepEqual(await resultOf(await finish(jobId)), expected, `died at request ${dies}`)
  }
  const jobId = await start()
  await Promise.all([runTask(jobId, 0, 60_000), runTask(jobId, 0, 60_000), runTask(jobId, 0, 60_000)])
  assert.deepEqual(await resultOf(await finish(jobId)), expected)
})

test('it reports no document that a task writes during the verification', async () => {
  for (let at = 0; at < 5; at++) await addDocument(`w/${at}`)
  index.onRequest = async (count) => {
    // The first comparison reads the ledger before this write and the index after it.
    if (count === 1) await writeAgain('w/1')
    // Listed before the ledger names it.
    if (count === 2) index.put('w/new', 'e')
    if (count === 3) await addDocument('w/new')
  }
  const found = await resultOf(await verifyWith({}))
  assert.deepEqual(found.findings, [])
  assert.equal(found.views[0]?.ledgerHash, found.views[0]?.indexHash)
})

test('it waits for a content job and then continues', async () => {
  await addDocument('w/1')
  const contentJob = await addJob(workflowId, 'content')
  const jobId = await start()
  const sent = await runTask(jobId, 0)
  assert.deepEqual([sent, index.requests], [[], 0])
  assert.equal((await readVerification(db, jobId))?.waits_for, contentJob)
  await endJob(db, contentJob, { status: 'COMPLETED', processingStatus: 'SUCCESS', message: null })
  await finish(jobId)
  const row = await readVerification(db, jobId)
  assert.deepEqual([row?.phase, row?.waits_for], ['done', null])
})

test('it begins again when another index has the name', async () => {
  for (let at = 0; at < 450; at++) await addDocument(`w/${at}`)
  const jobId = await start()
  await runTask(jobId, 0)
  assert.equal((await readVerification(db, jobId))?.documents_compared, '200')
  index.identity = 'other'
  const { views } = await resultOf(await finish(jobId))
  assert.equal(views[0]?.documents, 450)
})

test('it expects what a workflow of another destination wrote into the same index', async () => {
  await addDocument('w/1')
  const first = { workflowId, destinationId }
  await addWorkflow()
  await addDocument('w/2')
  await sql`update ledgers set index_uuid = ${destinationId} where workflow_id in (${first.workflowId}, ${workflowId})`.execute(
    db,
  )
  destinationId = first.destinationId
  assert.deepEqual((await resultOf(await verifyWith({}))).findings, [])
})

test('it shows 500 findings and counts the others', async () => {
  for (let at = 0; at < 700; at++) await addDocument(`w/${at}`)
  index.elements.clear()
  const jobId = await verifyWith({})
  const shown = await listFindings(db, jobId, { limit: 10_000 })
  assert.ok(shown.length <= SHOWN_FINDINGS + 1, `${shown.length} rows`)
  assert.equal((await readVerification(db, jobId))?.findings, '700')
  assert.deepEqual((await resultOf(jobId)).missing, 700)
})

test('it repairs with a fence from before it reads the ledger', async () => {
  await addDocument('w/1')
  for (const id of ['w/late', 'w/gone']) index.put(id, 'e')
  let jobFence = 0
  index.beforeRemove = async () => {
    // A job begins after the ledger was read: it names the element and writes it.
    jobFence = await addDocument('w/late')
  }
  const jobId = await verifyWith({ repairs: true })
  assert.deepEqual([...index.elements.keys()].sort(), ['w/1\ne', 'w/late\ne'])
  assert.ok(index.removedWith < jobFence, `${index.removedWith} < ${jobFence}`)
  const [{ subject } = {}] = await sql<{ subject: object }>`select subject from audit
    where subject->>'destination' = ${destinationId}`
    .execute(db)
    .then(({ rows }) => rows)
  assert.deepEqual(subject, { destination: destinationId, removed_elements: 2, jobs: [] })
  assert.equal((await readJob(db, jobId))?.status, 'COMPLETED')
})

async function verifyWith({ repairs = false }: { repairs?: boolean }): Promise<string> {
  index.requests = 0
  return finish(await start(repairs))
}

async function start(repairs = false): Promise<string> {
  const jobId = await addJob(destinationId, 'verify')
  await insertVerification(db, { jobId, repairs, approved: repairs, documents: 0 })
  return jobId
}

/** Runs the parts until none is sent. */
async function finish(jobId: string): Promise<string> {
  let parts = [0]
  for (let rounds = 0; parts.length > 0; rounds++) {
    assert.ok(rounds < 100)
    parts = await runTask(jobId, parts[0]!)
  }
  assert.equal((await readJob(db, jobId))?.status, 'COMPLETED')
  return jobId
}

/** Returns the parts that the task sent. By default a task ends after one slice. */
async function runTask(jobId: string, part: number, taskMs = 0): Promise<number[]> {
  const sent: number[] = []
  const engine = { send: async (_: string, data: { part: number }) => void sent.push(data.part) }
  const connections = { openDestination: async () => index.destination() }
  const task = verifyTask({
    resources: { db, log } as unknown as Resources,
    connections: connections as unknown as Connections,
    engine: engine as unknown as TaskQueue,
    startRepairJob: async () => assert.fail('nothing to write'),
    taskMs,
  })
  await task({ jobId, part }, { id: randomUUID(), tries: 1, lastTry: false, signal })
  return sent
}

async function resultOf(jobId: string) {
  const views = await scopeViews(db, jobId)
  const sum = (kind: 'missing' | 'extra') => views.reduce((total, view) => total + view[kind], 0)
  const findings = (await listFindings(db, jobId, { limit: 10_000 })).flatMap((each) => each.findings)
  return { views, findings, missing: sum('missing'), extra: sum('extra') }
}

async function addJob(ofId: string, kind: string): Promise<string> {
  const id = randomUUID()
  const settings = JSON.stringify({ source_id: null, destination_id: destinationId, nodes: [] })
  await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, kind, settings)
    values (${id}, ${workspaceId}, ${ofId}, 'w', 'SCHEDULED', 'SCHEDULED', 'persistent', ${kind}, ${settings})`.execute(
    db,
  )
  return id
}

/** In the ledger and in the index, with one element. Returns the fence. */
async function addDocument(recordId: string): Promise<number> {
  const fence = await nextFence(db)
  await sql`insert into documents (ledger_id, record_id, scope, position, locator, version, state_hash, settings_hash,
      element_ids, settled, fence, access_hash)
    values (${searchedLedger(workflowId)}, ${recordId}, 'MILL', '', '{"space_key":"MILL"}', '1', ${stateHash}, '', '{e}', true, ${fence}, 'a')`.execute(
    db,
  )
  index.put(recordId, 'e', fence)
  return fence
}

async function writeAgain(recordId: string): Promise<void> {
  const fence = await nextFence(db)
  await sql`update documents set fence = ${fence} where ledger_id = ${searchedLedger(workflowId)} and record_id = ${recordId}`.execute(
    db,
  )
  index.put(recordId, 'e', fence)
}

/** Lists 150 elements per page. */
class FakeIndex {
  readonly elements = new Map<string, StoredElement>()
  identity = 'first'
  requests = 0
  removedWith = 0
  onRequest: (count: number) => Promise<void> = async () => {}
  beforeRemove: () => Promise<void> = async () => {}
  #failAt = 0

  put(recordId: string, elementId: string, fence = 1): void {
    this.elements.set(`${recordId}\n${elementId}`, { recordId, elementId, fence, dataSource })
  }

  remove(recordId: string): void {
    this.elements.delete(`${recordId}\ne`)
  }

  failAt(request: number): void {
    this.requests = 0
    this.#failAt = request
  }

  destination(): Destination {
    const request = async () => {
      this.requests++
      if (this.requests === this.#failAt) {
        this.#failAt = 0
        throw new Error('the process died')
      }
      await this.onRequest(this.requests)
    }
    const listed = ({ recordId, elementId }: StoredElement) => ({ recordId, elementId, scopeKey: 'MILL' })
    return {
      swap: { identity: async () => this.identity },
      inspect: {
        stored: async (documents: { recordId: string; elementIds: string[] }[]) => {
          await request()
          return documents.flatMap(({ recordId, elementIds }) =>
            elementIds.flatMap((id) => this.elements.get(`${recordId}\n${id}`) ?? []),
          )
        },
        inventoryPage: async (cursor: string | null) => {
          await request()
          const all = [...this.elements.values()]
          const at = Number(cursor ?? 0)
          const next = at + 150 < all.length ? String(at + 150) : null
          return { listed: all.slice(at, at + 150).map(listed), next }
        },
      },
      remove: async (documents: { recordId: string; elementIds: string[] }[], fence: number) => {
        await this.beforeRemove()
        this.removedWith = fence
        for (const { recordId, elementIds } of documents)
          for (const id of elementIds) {
            const key = `${recordId}\n${id}`
            if ((this.elements.get(key)?.fence ?? fence + 1) <= fence) this.elements.delete(key)
          }
      },
      close: async () => {},
    } as unknown as Destination
  }
}
