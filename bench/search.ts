import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { elementKey } from '../src/connectors/kit/stored-element.ts'
import type { DocumentRef, Element } from '../src/document.ts'
import { dataSource, stateOf } from '../src/ingest/data-source.ts'
import type { Access } from '../src/permissions/levels.ts'
import { rankChecked } from '../src/search/checked-ranking.ts'
import { readHits } from '../src/search/hits.ts'
import { ledgerCheck } from '../src/search/ledger-check.ts'
import { closeDatabase, openDatabase } from '../src/store/database.ts'
import { upsertDocuments } from '../src/store/ledger/documents.ts'
import { nextFence } from '../src/store/ledger/fences.ts'
import { applyListing } from '../src/store/ledger/wanted.ts'
import { migrate } from '../src/store/migrate.ts'
import { migrations } from '../src/store/migrations/all.ts'
import type { WorkflowRow } from '../src/store/workflows/workflows.ts'
import { ledgerOf } from '../test/world/ledger-key.ts'
import { freshDatabase } from '../test/world/postgres.ts'
import { createRandom } from '../test/world/wiki/model/random.ts'
import { machine, saveResult } from './results.ts'
import { openSearchedIndex, openSearchedTable } from './search-engines.ts'

/**
 * A search as a person by words and vector, next to the same search without the permission filter, in turns. Measures
 * the index and the check against the ledger; the embedder and HTTP are left out. `--destination postgres` measures a
 * table with pgvector.
 */
const { values } = parseArgs({
  options: {
    elements: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '400' },
    destination: { type: 'string', default: 'searchindex' },
  },
})
const PER_DOCUMENT = 2
const documents = Number(values.elements) / PER_DOCUMENT
const rounds = Number(values.rounds)
const DIMS = 384
const SPACES = 40
const GROUPS = 100
const BATCH = 1000
const WARM_UP = 40
const VOCABULARY = 4000
const { signal } = new AbortController()
const random = createRandom(14)

const fresh = await freshDatabase()
const db = openDatabase(fresh.url)
await migrate(db, migrations)
const isTable = values.destination === 'postgres'
const index = await (isTable ? openSearchedTable(DIMS) : openSearchedIndex(DIMS))
const { filtered, unfiltered } = index
await index.destination.prepare({ dims: DIMS }, signal)
const [workspaceId, workflowId] = [randomUUID(), randomUUID()]
await sql`insert into workspaces (id, name) values (${workspaceId}, 'w')`.execute(db)
await sql`insert into workflows (id, workspace_id, name, workflow_type, nodes, reprocess_all, state)
  values (${workflowId}, ${workspaceId}, 'w', 'custom', '[]', false, 'active')`.execute(db)
const began = Date.now()
await fill()
await index.settle()
await sql`vacuum analyze`.execute(db)
console.log(`filled in ${Math.round((Date.now() - began) / 1000)} s`)

/** A third of the groups, as in a company with many teams. */
const tokens = [
  'user:557058:reader',
  'class:bench.example/all-licensed-users',
  'class:anonymous-users',
  ...Array.from({ length: GROUPS / 3 }, (_, at) => `group:${at * 3}`),
]
const workflows = [{ id: workflowId, max_permission_age_hours: 24 } as WorkflowRow]
const withSpace = { space_key: ['S3', 'S7', 'S11'] }

const samples = { person: [], unfiltered: [], check: [], space: [], facets: [], grouped: [] } as Record<
  string,
  number[]
>
let shown = 0
for (let round = -WARM_UP; round < rounds; round++) {
  const query = { query: `${word(200)} ${word(VOCABULARY)}`, vector: vectorOf(random.int(0, 49)) }
  const turns: [string, () => Promise<number>][] = [
    ['person', () => searchAs(query)],
    ['unfiltered', () => searchBare(query)],
    ['space', () => searchAs({ ...query, filters: withSpace })],
    ['facets', () => searchAs({ ...query, facets: ['space_key', 'filetype', 'modified'] })],
    ['grouped', () => searchAs(query, 'document')],
  ]
  // A different one comes first each time.
  for (let at = 0; at < turns.length; at++) {
    const [name, work] = turns[(at + round + WARM_UP) % turns.length]!
    const started = performance.now()
    const checkMs = await work()
    if (round < 0) continue
    samples[name]?.push(performance.now() - started)
    if (name === 'person') samples.check?.push(checkMs)
  }
}
const [person, bare] = [summary('person'), summary('unfiltered')]
const sum = (list: number[] = []) => list.reduce((total, each) => total + each, 0)
const result = {
  date: new Date().toISOString(),
  machine: machine(),
  ...(isTable ? { destination: 'postgres' } : {}),
  ...{ elements: documents * PER_DOCUMENT, documents, rounds, tokens: tokens.length },
  mean_hits_on_a_page: Number((shown / (rounds + WARM_UP) / 4).toFixed(2)),
  ...{ as_a_person_ms: person, index_without_permissions_ms: bare },
  index_as_a_person_ms: {
    p50: quantile(indexMs(), 0.5),
    p99: quantile(indexMs(), 0.99),
  },
  ratio_of_the_index: {
    p50: ratio(quantile(indexMs(), 0.5), bare.p50),
    p99: ratio(quantile(indexMs(), 0.99), bare.p99),
  },
  ratio_with_check: { p50: ratio(person.p50, bare.p50), p99: ratio(person.p99, bare.p99) },
  check_ms: summary('check'),
  share_of_the_check: ratio(sum(samples.check), sum(samples.person)),
  ...{ in_three_spaces_ms: summary('space'), with_facets_ms: summary('facets') },
  by_document_ms: summary('grouped'),
}
console.log(JSON.stringify(result, null, 1))
await saveResult('search.jsonl', result)
await index[Symbol.asyncDispose]()
await closeDatabase(db)
await fresh.drop()
process.exit()

type Query = {
  query: string
  vector: number[]
  filters?: typeof withSpace
  facets?: ('space_key' | 'filetype' | 'modified')[]
}

/** As the service does it; returns the time of the check. */
async function searchAs(query: Query, groupBy: 'element' | 'document' = 'element'): Promise<number> {
  let checkMs = 0
  const check = ledgerCheck(db, workflows, { tokens, tokensIn: () => tokens })
  const found = await rankChecked(
    {
      ...{ request: { ...query, tokens }, from: 0, size: 10, groupBy },
      ...{ isSeen: () => false, seen: 0 },
    },
    {
      search: filtered,
      check: async (ids) => {
        const started = performance.now()
        const verdicts = await check(ids)
        checkMs += performance.now() - started
        return verdicts
      },
    },
    signal,
  )
  const of = { db, search: filtered, tokens, workflowIds: [workflowId] }
  const parts = { query: query.query, isGrouped: groupBy === 'document', neighbours: 0, why: false }
  shown += (await readHits(found.page, { of, parts }, signal)).length
  return checkMs
}

/** The same requests to the index, without permissions and check. */
async function searchBare({ query, vector }: Query): Promise<number> {
  const { ranked } = await unfiltered.rank({ query, vector, tokens, depth: 500 }, signal)
  await unfiltered.elements({ keys: ranked.slice(0, 10).map(({ key }) => key), tokens, query }, signal)
  return 0
}

async function fill(): Promise<void> {
  for (let from = 0; from < documents; from += BATCH) {
    const refs = Array.from({ length: Math.min(BATCH, documents - from) }, (_, at) => ref(from + at))
    for (const [scope, ofScope] of Map.groupBy(refs, (each) => each.scope))
      await applyListing(db, workflowId, {
        page: { scope, refs: ofScope, asOf: new Date() },
        modeOf: () => 'content',
      })
    const fence = await nextFence(db)
    const entries = refs.map((each) => {
      const { recordId, scope, position, locator, version } = each
      const written = { settingsHash: 'h', settled: true, elementIds: idsOf(each) }
      return { recordId, scope, position, locator, version, ...written, ...stateOf(each) }
    })
    await upsertDocuments(db, { ...(await ledgerOf(db, workflowId)), fence }, entries)
    const now = new Date()
    const items = refs.flatMap((each) =>
      idsOf(each).map((id) => ({
        recordId: each.recordId,
        element: element(id),
        dataSource: dataSource(each, each.version, now),
      })),
    )
    const [rejection] = await index.destination.write(items, fence, signal)
    if (rejection) throw rejection.error
    if (from % 10_000 === 0) console.log(`${from} documents`)
  }
  await sql`update workflow_scopes set proved_at = now()`.execute(db)
}

/** A space for one to three groups; a fifth of the pages is restricted further. */
function ref(at: number): DocumentRef {
  const space = `S${at % SPACES}`
  const isRestricted = at % 5 === 0
  const id = String(100_000 + at)
  const group = (number: number) => `group:${number % GROUPS}`
  const scope = [group(at % SPACES), group((at % SPACES) * 2 + 1), group((at % SPACES) * 7 + 3)]
  const clauses = { c0: scope, ...(isRestricted ? { c1: [group(at), group(at + 1), group(at + 2)] } : {}) }
  const access: Access = {
    permissions: [
      { read: { users: [], groups: [] } },
      { update: { users: [], groups: [] } },
      { delete: { users: [], groups: [] } },
    ],
    clauses,
    set: { site: 'bench.example', scope: space, levels: isRestricted ? [String(at % 500)] : [] },
  }
  return {
    recordId: `bench.example/${id}`,
    ...{
      scope: space,
      position: id.padStart(12, '0'),
      version: '1',
      title: `Page ${word(VOCABULARY)} ${at}`,
    },
    ...{ url: `https://bench.example/${id}`, locator: { space_key: space, page_id: id } },
    ...{ filename: `${id}.html`, createdAt: null, author: null },
    modifiedAt: new Date(1.7e12 + at * 1e6).toISOString(),
    ...{ scopeName: space, labels: [], ancestors: [], access },
  }
}

function idsOf({ recordId }: DocumentRef): string[] {
  return Array.from({ length: PER_DOCUMENT }, (_, at) => elementKey(recordId, String(at)))
}

function element(id: string): Element {
  const text = Array.from({ length: 60 }, () => word(VOCABULARY)).join(' ')
  const metadata = { filename: 'page.html', filetype: 'text/html' }
  return { type: 'CompositeElement', element_id: id, text, metadata, embeddings: vectorOf(random.int(0, 49)) }
}

/** Common words are more frequent, as in a language. */
function word(vocabulary: number): string {
  return `w${Math.floor(vocabulary ** random.next()) + 10}`
}

/** Near one of fifty subjects. */
function vectorOf(subject: number): number[] {
  return Array.from({ length: DIMS }, (_, at) => ((at * (subject + 3)) % 17) / 17 + random.next() - 1)
}

function indexMs(): number[] {
  return (samples.person ?? []).map((each, at) => each - (samples.check?.[at] ?? 0))
}

function summary(name: string): { p50: number; p99: number } {
  const list = samples[name] ?? []
  return { p50: quantile(list, 0.5), p99: quantile(list, 0.99) }
}

function quantile(list: number[], part: number): number {
  const sorted = list.toSorted((a, b) => a - b)
  return Number((sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1))
}

function ratio(one: number, other: number): number {
  return Number((one / other).toFixed(2))
}
