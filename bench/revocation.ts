import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Client } from '@elastic/elasticsearch'
import { sql } from 'kysely'
import { createEgress } from '../src/connectors/egress/guard.ts'
import { elementKey } from '../src/connectors/kit/stored-element.ts'
import { openSearchIndex } from '../src/connectors/searchindex/destination.ts'
import type { DocumentRef, Element } from '../src/document.ts'
import { dataSource, stateOf } from '../src/ingest/data-source.ts'
import { writeUnwrittenPermissions } from '../src/jobs/passes/write-permissions.ts'
import type { Access } from '../src/permissions/levels.ts'
import { closeDatabase, openDatabase } from '../src/store/database.ts'
import { currentPermissions } from '../src/store/ledger/current-permissions.ts'
import { upsertDocuments } from '../src/store/ledger/documents.ts'
import { nextFence } from '../src/store/ledger/fences.ts'
import { applyListing } from '../src/store/ledger/wanted.ts'
import { migrate } from '../src/store/migrate.ts'
import { migrations } from '../src/store/migrations/all.ts'
import { ledgerOf } from '../test/world/ledger-key.ts'
import { freshDatabase } from '../test/world/postgres.ts'
import { startSearchEngine } from '../test/world/search-engine/engine.ts'
import { machine, saveResult } from './results.ts'

/** A space permission is revoked that decides about many elements: the ledger, then the index, next to bare bulk updates. */
const { values } = parseArgs({ options: { documents: { type: 'string', default: '50000' } } })
const documents = Number(values.documents)
const PER_DOCUMENT = 2
const BATCH = 2_000
const BEGAN = new Date()
const { signal } = new AbortController()

const engine = await startSearchEngine({ heapMb: 1024, fullJit: true, log: (line) => console.log(line) })
const fresh = await freshDatabase()
const db = openDatabase(fresh.url)
await migrate(db, migrations)
const index = `revocation-${Date.now()}`
await engine.adminFetch(`/${index}`, { method: 'PUT', body: { settings: { number_of_replicas: 0 } } })
const { encoded: key } = await engine.createApiKey(index)
const egress = createEgress({ publicOnly: false })
const log = { debug() {}, info() {}, warn() {}, error() {} }
const destination = openSearchIndex(
  { hosts: [engine.url], search_api_key: key, index_name: index },
  { egress, log },
)
await destination.prepare({ dims: null }, signal)
const [workspaceId, workflowId] = [randomUUID(), randomUUID()]
await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
  values (${workflowId}, ${workspaceId}, 'w', 'custom', '[]', false, 'active')`.execute(db)

const OPEN = accessFor('group:staff')
const CLOSED = accessFor('user:ann')
await fill()
const revoked = await seconds(() => list(CLOSED, 0))
const [shown] = await currentPermissions(db, [workflowId], [ref(documents - 1, OPEN).recordId])
const indexes = [{ ledger: await ledgerOf(db, workflowId), destination }]
const written = await seconds(() =>
  writeUnwrittenPermissions(db, { workflowId, indexes, waits: true }, signal),
)
const bare = await seconds(updateBare)
const result = {
  date: new Date().toISOString(),
  machine: machine(),
  ...{ documents, elements: documents * PER_DOCUMENT },
  search_follows_after_seconds: revoked,
  last_document_admits: shown?.clauses,
  ...{ index_written_seconds: written, bare_bulk_updates_seconds: bare },
  ratio: Number((written / bare).toFixed(2)),
}
console.log(JSON.stringify(result, null, 1))
await saveResult('revocation.jsonl', result)
await closeDatabase(db)
await egress.close()
await engine.stop()
process.exit()

async function fill(): Promise<void> {
  for (let from = 0; from < documents; from += BATCH) {
    const refs = batch(from, OPEN)
    await applyListing(db, workflowId, { page: { scope: 'A', refs, asOf: BEGAN }, modeOf: () => 'content' })
    const fence = await nextFence(db)
    const entries = refs.map((each) => {
      const { recordId, scope, position, locator, version } = each
      return {
        ...{
          recordId,
          scope,
          position,
          locator,
          version,
          settingsHash: 'h',
          settled: true,
        },
        ...{ elementIds: elementIds(each), ...stateOf(each) },
      }
    })
    await upsertDocuments(db, { ...(await ledgerOf(db, workflowId)), fence }, entries)
    const now = new Date()
    const items = refs.flatMap((each) =>
      elementIds(each).map((id) => ({
        recordId: each.recordId,
        element: element(id),
        dataSource: dataSource(each, each.version, now),
      })),
    )
    const [rejection] = await destination.write(items, fence, signal)
    if (rejection) throw rejection.error
  }
  await engine.adminFetch(`/${index}/_refresh`, { method: 'POST' })
}

/** One document of the space is enough: all share a permission set. */
async function list(access: Access, at: number): Promise<void> {
  const page = { scope: 'A', refs: [ref(at, access)], asOf: new Date() }
  await applyListing(db, workflowId, { page, modeOf: () => 'permissions' })
}

/** The same change by the vendor's client, with nothing around it. */
async function updateBare(): Promise<void> {
  const client = new Client({ node: engine.url, auth: { apiKey: key }, compression: true })
  const now = new Date()
  async function* updates() {
    for (let at = 0; at < documents; at++) {
      const each = ref(at, OPEN)
      const doc = { metadata: { data_source: dataSource(each, each.version, now) } }
      for (const id of elementIds(each)) yield { id: elementKey(each.recordId, id), doc }
    }
  }
  await client.helpers.bulk({
    datasource: updates(),
    onDocument: ({ id, doc }) => [{ update: { _index: index, _id: id } }, { doc }],
    ...{ concurrency: 2, flushBytes: 4_000_000 },
  })
}

function batch(from: number, access: Access): DocumentRef[] {
  const length = Math.min(BATCH, documents - from)
  return Array.from({ length }, (_, at) => ref(from + at, access))
}

function elementIds({ recordId }: DocumentRef): string[] {
  return Array.from({ length: PER_DOCUMENT }, (_, at) => `${recordId.split('/').at(-1)}-${at}`)
}

function element(id: string): Element {
  return {
    type: 'NarrativeText',
    element_id: id,
    text: `Text of ${id}. `.repeat(20),
    metadata: {},
  } as Element
}

function accessFor(token: string): Access {
  const none = { users: [], groups: [] }
  return {
    set: { site: 'bench.example', scope: 'A', levels: [] },
    permissions: [{ read: { users: [token], groups: [] } }, { update: none }, { delete: none }],
    clauses: { c0: [token] },
  }
}

function ref(id: number, access: Access): DocumentRef {
  return {
    ...{
      recordId: `wiki.example/${1_000_000 + id}`,
      scope: 'A',
      position: String(1_000_000 + id),
      version: '1',
    },
    ...{
      title: `Page ${id}`,
      url: `https://wiki.example/${id}`,
      locator: { space_key: 'A', page_id: String(id) },
    },
    ...{ filename: `${id}.html`, createdAt: null, modifiedAt: null, author: null, labels: [], ancestors: [] },
    ...{ scopeName: 'A', access },
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return Number(((performance.now() - startedAt) / 1000).toFixed(2))
}
