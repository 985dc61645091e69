import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import type { DataSource } from '../src/connectors/destination.ts'
import { elementKey } from '../src/connectors/kit/stored-element.ts'
import { writtenStateHash } from '../src/ingest/data-source.ts'
import type { Connections } from '../src/jobs/connections.ts'
import type { TaskQueue } from '../src/jobs/queue/engine.ts'
import type { Resources } from '../src/jobs/resources.ts'
import { verifyTask } from '../src/jobs/tasks/verify.ts'
import { closeDatabase, openDatabase } from '../src/store/database.ts'
import { searchedLedger } from '../src/store/ledger/ledgers.ts'
import { migrate } from '../src/store/migrate.ts'
import { migrations } from '../src/store/migrations/all.ts'
import { scopeViews } from '../src/store/verifications/findings.ts'
import { insertVerification, readVerification } from '../src/store/verifications/verifications.ts'
import { freshDatabase } from '../test/world/postgres.ts'
import { preparedIndex } from '../test/world/search-engine/behind-proxy.ts'
import { machine, saveResult } from './results.ts'

/** Time and memory of a verification without differences, two elements per document. */
const { values } = parseArgs({ options: { documents: { type: 'string', default: '100000' } } })
const documents = Number(values.documents)
const ELEMENTS = 2
const FENCE = 7
const nothing = () => {}
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
const { signal } = new AbortController()
const dataSource: DataSource = { version: '1', record_locator: { space_key: 'MILL' }, title: 'A page' }
const stateHash = writtenStateHash(dataSource)
const [workspaceId, workflowId, destinationId, jobId] = Array.from({ length: 4 }, randomUUID) as string[]

const fresh = await freshDatabase()
const db = openDatabase(fresh.url)
await migrate(db, migrations)
await using index = await preparedIndex()
await fillLedger()
await fillIndex()

let maxHeap = 0
const watch = setInterval(() => {
  maxHeap = Math.max(maxHeap, process.memoryUsage().heapUsed)
}, 100)
const heapBefore = process.memoryUsage().heapUsed
const begin = performance.now()
const parts = [0]
const task = verifyTask({
  resources: { db, log } as unknown as Resources,
  connections: {
    openDestination: async () => ({ ...index.destination, close: async () => {} }),
  } as unknown as Connections,
  engine: {
    send: async (_: string, { part }: { part: number }) => void parts.push(part),
  } as unknown as TaskQueue,
  startRepairJob: () => Promise.reject(new Error('nothing to repair')),
})
for (const part of parts)
  await task({ jobId: jobId!, part }, { id: randomUUID(), tries: 1, lastTry: false, signal })
const seconds = (performance.now() - begin) / 1000
clearInterval(watch)
const row = await readVerification(db, jobId!)
const [view] = await scopeViews(db, jobId!)
const result = {
  ...machine(),
  documents,
  elements: view?.elements,
  equal: view?.ledgerHash === view?.indexHash,
  phase: row?.phase,
  slices: row?.revision,
  tasks: parts.length,
  seconds: Math.round(seconds),
  heap_mb_before: Math.round(heapBefore / 2 ** 20),
  heap_mb_max: Math.round(maxHeap / 2 ** 20),
}
console.log(JSON.stringify(result))
await saveResult('verify.jsonl', result)
await closeDatabase(db)
await fresh.drop()

async function fillLedger(): Promise<void> {
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
  await sql`insert into connectors (id, workspace_id, kind, type, name, config, wire)
    values (${destinationId}, ${workspaceId}, 'destination', 'searchindex', 'index', '{}', '{}')`.execute(db)
  await sql`insert into workflows (id, workspace_id, name, destination_id, workflow_type, nodes, reprocess_all, state)
    values (${workflowId}, ${workspaceId}, 'w', ${destinationId}, 'custom', '[]', false, 'active')`.execute(
    db,
  )
  await sql`insert into documents (ledger_id, record_id, scope, position, locator, version, state_hash, settings_hash,
      element_ids, settled, fence, access_hash)
    select ${searchedLedger(workflowId!)}, 'wiki.test/' || at, 'MILL', '', '{"space_key":"MILL"}'::jsonb, '1', ${stateHash}, '',
      array['e0', 'e1'], true, ${FENCE}, 'a' from generate_series(1, ${documents}) as at`.execute(db)
  await sql`insert into jobs (id, workspace_id, workflow_id, workflow_name, status, processing_status, job_type, kind,
      settings) values (${jobId}, ${workspaceId}, ${destinationId}, 'w', 'SCHEDULED', 'SCHEDULED', 'persistent', 'verify',
      ${JSON.stringify({ source_id: null, destination_id: destinationId, nodes: [] })})`.execute(db)
  await insertVerification(db, { jobId: jobId!, repairs: false, approved: false, documents })
}

async function fillIndex(): Promise<void> {
  for (let at = 1; at <= documents; at += 2_500) {
    const lines: string[] = []
    for (let each = at; each < Math.min(at + 2_500, documents + 1); each++)
      for (let element = 0; element < ELEMENTS; element++) {
        const [recordId, elementId] = [`wiki.test/${each}`, `e${element}`]
        const id = elementKey(recordId, elementId)
        lines.push(JSON.stringify({ index: { _id: id, version: FENCE, version_type: 'external' } }))
        const metadata = { data_source: dataSource }
        lines.push(JSON.stringify({ record_id: recordId, element_id: elementId, text: 'text', metadata }))
      }
    await index.engine.adminFetch(`/${index.name}/_bulk`, { ndjson: `${lines.join('\n')}\n` })
  }
  await index.refresh()
}
