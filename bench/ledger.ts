import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import type { ListingPage } from '../src/connectors/source.ts'
import type { DocumentRef } from '../src/document.ts'
import { hashOfJson } from '../src/document-hashes.ts'
import { stateOf } from '../src/ingest/data-source.ts'
import type { JobRun } from '../src/jobs/job-run.ts'
import { listSource } from '../src/jobs/list-source.ts'
import type { TaskQueue } from '../src/jobs/queue/engine.ts'
import type { Resources } from '../src/jobs/resources.ts'
import { type PermissionSet, storeAccess } from '../src/permissions/levels.ts'
import { closeDatabase, openDatabase } from '../src/store/database.ts'
import { listDocuments } from '../src/store/jobs/document-pages.ts'
import { readProgress } from '../src/store/jobs/job-progress.ts'
import { insertJob, markStarted, readJob } from '../src/store/jobs/jobs.ts'
import { readOverview } from '../src/store/jobs/overview.ts'
import { currentPermissions } from '../src/store/ledger/current-permissions.ts'
import { searchedLedger } from '../src/store/ledger/ledgers.ts'
import { workflowsWithUnwrittenPermissions } from '../src/store/ledger/unwritten-permissions.ts'
import { migrate } from '../src/store/migrate.ts'
import { migrations } from '../src/store/migrations/all.ts'
import { ledgerOf } from '../test/world/ledger-key.ts'
import { freshDatabase } from '../test/world/postgres.ts'
import { countStatements } from '../test/world/statement-counter.ts'
import { machine, saveResult } from './results.ts'

/** A ledger of many documents: an unchanged listing, progress, lists, the check of search hits, and sizes on disk. */
const { values } = parseArgs({ options: { documents: { type: 'string', default: '1000000' } } })
const documents = Number(values.documents)
const SCOPES = 20
const SETS_PER_SCOPE = 50
const SETTINGS = 'settings'

const fresh = await freshDatabase()
const counter = await countStatements(fresh.url)
const db = openDatabase(counter.url)
await migrate(db, migrations)
const [workspaceId, workflowId] = [randomUUID(), randomUUID()]
await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
  values (${workflowId}, ${workspaceId}, 'w', 'custom', '[]', false, 'active')`.execute(db)

const filling = await time(fill)
await sql`vacuum analyze`.execute(db)
const sizes = await tableSizes()
const listing = await listUnchanged()
const plans = await explain()
const jobId = listing.jobId
const result = {
  date: new Date().toISOString(),
  machine: machine(),
  ...{ documents, filled_in_seconds: seconds(filling.ms), sizes_mb: sizes },
  unchanged_listing: {
    seconds: seconds(listing.ms),
    statements_per_document: Number((listing.statements / documents).toFixed(5)),
    counts: listing.counts,
  },
  progress_ms: await median(() => readProgress(db, jobId)),
  first_page_of_job_documents_ms: await median(() => listDocuments(db, jobId, { limit: 50 })),
  overview_ms: await median(() => readOverview(db, workspaceId)),
  sweep_for_differences_ms: await median(() => workflowsWithUnwrittenPermissions(db)),
  check_of_hits_ms: {
    10: await median(() => check(10)),
    100: await median(() => check(100)),
    1000: await median(() => check(1000)),
  },
  plans,
}
console.log(JSON.stringify(result, null, 1))
await saveResult('ledger.jsonl', result)
await closeDatabase(db)
counter.close()
await fresh.drop()
process.exit()

/** As a run would have left it: two elements per document. */
async function fill(): Promise<void> {
  const sample = stateOf(ref(0))
  await sql`set statement_timeout = 0`.execute(db)
  const keys = Array.from({ length: SCOPES * SETS_PER_SCOPE }, (_, at) => hashOfJson(setOf(at)))
  await sql`insert into permission_sets (workflow_id, key, access, hash, as_of)
    select ${workflowId}::uuid, s, ${JSON.stringify(storeAccess(ref(0).access))}::jsonb, ${sample.accessHash ?? ''}, now()
    from unnest(${keys}::text[]) as s`.execute(db)
  const batch = 50_000
  for (let from = 0; from < documents; from += batch) {
    const refs = Array.from({ length: Math.min(batch, documents - from) }, (_, at) => ref(from + at))
    const rows = refs.map((each) => {
      const { access, ...about } = each
      const state = stateOf(each)
      return {
        ...{ record_id: each.recordId, scope: each.scope, position: each.position, ref: about },
        ...{ key: hashOfJson(access.set), state_hash: state.stateHash, access_hash: state.accessHash },
        metadata_hash: state.metadataHash,
      }
    })
    await sql`
      with d as (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d(record_id text, scope text, position text,
          ref jsonb, key text, state_hash text, access_hash text, metadata_hash text)
      ), wanted as (
        insert into wanted_documents (workflow_id, record_id, scope, position, version, ref, metadata_hash, set_id)
        select ${workflowId}::uuid, d.record_id, d.scope, d.position, '1', d.ref, d.metadata_hash, s.id
        from d join permission_sets as s on s.workflow_id = ${workflowId}::uuid and s.key = d.key
      )
      insert into documents (ledger_id, record_id, scope, position, locator, version, state_hash, settings_hash,
        element_ids, settled, fence, access_hash, metadata_hash)
      select ${searchedLedger(workflowId)}, d.record_id, d.scope, d.position, d.ref->'locator', '1', d.state_hash, ${SETTINGS},
        array[md5(d.record_id || 'a'), md5(d.record_id || 'b')], true, 1, d.access_hash, d.metadata_hash
      from d
    `.execute(db)
  }
}

async function listUnchanged() {
  const id = randomUUID()
  const settings = { source_id: randomUUID(), destination_id: randomUUID(), nodes: [], reprocess_all: false }
  await insertJob(db, {
    ...{ id, workspaceId, workflowId, workflowName: 'w', jobType: 'persistent', startedBy: null, settings },
  })
  await markStarted(db, id)
  const run = {
    source: { list },
    ledger: await ledgerOf(db, workflowId),
    swap: null,
    settingsHash: SETTINGS,
  } as unknown as JobRun
  const job = (await readJob(db, id))!
  const before = counter.count()
  const engine = { sendAll: async () => {} } as unknown as TaskQueue
  const { ms } = await time(() =>
    listSource(job, { resources: { db } as Resources, engine, run }, new AbortController().signal),
  )
  const statements = counter.count() - before
  const progress = await readProgress(db, id)
  return { jobId: id, ms, statements, counts: progress?.states }
}

async function* list(): AsyncGenerator<ListingPage> {
  const asOf = new Date()
  const perScope = documents / SCOPES
  for (let scope = 0; scope < SCOPES; scope++) {
    for (let at = 0; at < perScope; at += 250) {
      const length = Math.min(250, perScope - at)
      const refs = Array.from({ length }, (_, index) => ref(scope * perScope + at + index))
      yield { kind: 'refs', scope: `S${scope}`, refs, asOf }
    }
    yield { kind: 'end', scope: `S${scope}` }
  }
  yield { kind: 'complete' }
}

function check(hits: number) {
  const ids = Array.from({ length: hits }, () => ref(Math.floor(Math.random() * documents)).recordId)
  return currentPermissions(db, [workflowId], ids)
}

async function tableSizes(): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; mb: number }>`
    select relname as name, round(pg_total_relation_size(oid) / 1e6)::int as mb from pg_class
    where relname in ('documents', 'wanted_documents', 'permission_sets')`.execute(db)
  return Object.fromEntries(rows.map(({ name, mb }) => [name, mb]))
}

/** The plans of the statements that grow most. */
async function explain(): Promise<Record<string, string[]>> {
  const plan = async (statement: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${statement}`.execute(db)
    return rows
      .map((row) => row['QUERY PLAN'])
      .filter(isNode)
      .map((line) => line.slice(0, 120))
  }
  const ids = Array.from({ length: 2_500 }, (_, at) => ref(at).recordId)
  return {
    known_documents: await plan(
      sql`select * from documents where ledger_id = ${searchedLedger(workflowId)} and record_id = any(${ids}::text[])`,
    ),
    unseen_in_range: await plan(sql`select record_id from wanted_documents
      where workflow_id = ${workflowId}::uuid and scope = 'S1' and position > ${position(1000)} and position <= ${position(3500)}
        and record_id <> all(${ids}::text[])`),
    marked: await plan(
      sql`select record_id from wanted_documents where workflow_id = ${workflowId}::uuid and needs_permission_write order by record_id limit 500`,
    ),
  }
}

/** Without conditions, which repeat all ids. */
function isNode(line: string, at: number): boolean {
  return at === 0 || line.includes('->')
}

function position(id: number): string {
  return String(id).padStart(12, '0')
}

function ref(id: number): DocumentRef {
  const scope = `S${Math.floor(id / (documents / SCOPES))}`
  const none = { users: [], groups: [] }
  return {
    ...{
      recordId: `https://wiki.example/wiki/${100_000_000 + id}`,
      scope,
      position: position(id),
      version: '1',
    },
    ...{ title: `A page about subject ${id}`, url: `https://wiki.example/wiki/spaces/${scope}/pages/${id}` },
    locator: { space_key: scope, page_id: String(100_000_000 + id) },
    ...{
      filename: `${id}.html`,
      createdAt: '2026-01-01T00:00:00Z',
      modifiedAt: '2026-01-01T00:00:00Z',
      author: 'someone',
    },
    ...{ scopeName: `Space ${scope}`, labels: ['one', 'two'] },
    ancestors: [{ id: '1', title: 'Home' }],
    access: {
      set: setOf(Math.floor(id / (documents / SCOPES)) * SETS_PER_SCOPE + (id % SETS_PER_SCOPE)),
      permissions: [{ read: { users: ['ann'], groups: ['staff'] } }, { update: none }, { delete: none }],
      clauses: { c0: ['user:ann', 'group:staff'] },
    },
  }
}

function setOf(at: number): PermissionSet {
  return { site: 'bench.example', scope: String(at), levels: [] }
}

async function time(work: () => Promise<unknown>): Promise<{ ms: number }> {
  const startedAt = performance.now()
  await work()
  return { ms: performance.now() - startedAt }
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 9; round++) times.push((await time(work)).ms)
  return Number(times.sort((a, b) => a - b)[4]?.toFixed(1))
}

function seconds(ms: number): number {
  return Number((ms / 1000).toFixed(1))
}
