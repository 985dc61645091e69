import type { Search } from '../connectors/search.ts'
import type { ConnectorRow } from '../store/connectors/connectors.ts'
import { documentLevels } from '../store/ledger/document-levels.ts'
import type { WorkflowRow } from '../store/workflows/workflows.ts'
import { auditSearch } from './audit-search.ts'
import { type CheckedRanking, type RankedUnit, rankChecked } from './checked-ranking.ts'
import type { SearchContext } from './context.ts'
import { createCursors, NOTHING_SEEN } from './cursor.ts'
import { DIFFERENCES_CHECKED, differingDocuments } from './differences.ts'
import { countFacets } from './facets.ts'
import { hiddenFrom } from './hidden-scopes.ts'
import { readHits } from './hits.ts'
import { checkRules, ledgerCheck } from './ledger-check.ts'
import type { IndexReader, Memberships } from './memberships.ts'
import { nameComparison } from './name-comparison.ts'
import type { Names } from './names.ts'
import { withOpenSearch } from './open-search.ts'
import { queryVector } from './query-vector.ts'
import { toFilters } from './request-filters.ts'
import { personKey, type SearchPerson } from './search-person.ts'
import type { CompareOptions, LabComparison, LabDocument } from './shapes/lab.ts'
import type { SearchHit } from './shapes/search.ts'
import { FOUND_STATUS, HIDDEN_STATUS, stoppedStatus } from './stopped-by.ts'
import { workflowsWritingTo } from './writers.ts'

/** The caller has checked that the destination is theirs, and that they may act as these people. */
export type CompareInput = {
  workspaceId: string
  actor: string
  destination: ConnectorRow
  people: SearchPerson[]
  request: CompareOptions
}

export interface PeopleComparison {
  /** One search for several people, with the status of every document for each of them. Audited. */
  compare(input: CompareInput, signal: AbortSignal): Promise<LabComparison>
}

/** One person with what search finds as them. */
type Column = { reader: IndexReader; found: CheckedRanking; foundIds: ReadonlySet<string> }

export function createPeopleComparison(
  { resources, connections }: SearchContext,
  { memberships, names }: { memberships: Memberships; names: Names },
): PeopleComparison {
  const { db } = resources
  const cursors = createCursors(resources.vault)

  return {
    async compare({ request, people, destination, workspaceId, actor }, signal) {
      const { query, size = 20, facets = [], only_differences: onlyDifferences = false } = request
      const filters = toFilters(request.filters)
      const keys = people.map((person) => JSON.stringify(personKey(person)))
      const boundTo = [destination.id, 'compare', keys, query, filters, onlyDifferences]
      const depth = onlyDifferences ? Math.max(size, DIFFERENCES_CHECKED) : size
      const seen = request.search_after ? cursors.read(request.search_after, boundTo) : NOTHING_SEEN
      // The same person twice is searched and audited once.
      const distinct = new Map(people.map((person, at) => [keys[at] ?? '', person]))
      const workflows = await workflowsWritingTo(resources, destination)
      const workflowIds = workflows.map(({ id }) => id)
      const readers = await Promise.all(
        [...distinct].map(
          async ([key, person]) => [key, await memberships.readerOf(person, destination, signal)] as const,
        ),
      )
      for (const person of distinct.values())
        await auditSearch(
          db,
          { workspaceId, actor, destination, person },
          { action: 'search', subject: { query } },
        )

      return withOpenSearch(connections, destination.id, async (search) => {
        const vector = await queryVector(query, { workflows, search, resources }, signal)
        const ranking = {
          query,
          filters,
          ...(vector ? { vector } : {}),
          ...(facets.length > 0 ? { facets } : {}),
        }
        const columnOf = async (reader: IndexReader): Promise<Column> => {
          const found = await rankChecked(
            {
              request: { ...ranking, tokens: reader.tokens },
              from: 0,
              size: depth,
              groupBy: 'document',
              isSeen: (id) => seen.has(id),
              seen: seen.size,
            },
            { search, check: ledgerCheck(db, workflows, reader) },
            signal,
          )
          return { reader, found, foundIds: new Set(found.shown.map(({ record_id: id }) => id)) }
        }
        const byKey = new Map(
          await Promise.all(readers.map(async ([key, reader]) => [key, await columnOf(reader)] as const)),
        )
        const columns = [...byKey.values()]
        const isWhole = columns.every(({ found }) => found.isWhole)
        const differing = await differingDocuments(
          columns.map(({ reader, found }) => ({
            found: new Map(found.shown.map(({ record_id: id, key }) => [id, key])),
            findsAlso: (documents) => readable(documents, { reader, search, workflows }, signal),
          })),
        )
        const fresh = [...freshDocuments(columns).values()].filter(
          ({ unit }) => !onlyDifferences || differing.has(unit.id),
        )
        // Each list has its best documents first, so the best of all are among them.
        const page = fresh.sort((a, b) => b.score - a.score).slice(0, size)
        const hits = await hitsOf(page, { db, search, workflowIds, query }, signal)
        const statuses = await Promise.all(
          columns.map((column) => statusesOf(column, { page, search, workflows }, signal)),
        )
        const statusByKey = new Map([...byKey.keys()].map((key, at) => [key, statuses[at]]))
        const hasNext =
          fresh.length > page.length || (!onlyDifferences && columns.some(({ found }) => found.hasNext))
        const passed = page.map(({ unit }) => unit.id)
        const next = hasNext ? cursors.write(passed, seen, boundTo) : null
        const bound = people.find(({ kind }) => kind === 'bound')
        const shown = columns.flatMap(({ found }) => found.shown)
        const compared: LabComparison = {
          people: people.map((person, at) => toPerson(person, byKey.get(keys[at] ?? '')!)),
          documents: page.flatMap(({ unit }) => {
            const hit = hits.get(unit.id)
            const of = keys.map((key) => statusByKey.get(key)?.get(unit.id) ?? HIDDEN_STATUS)
            return hit ? [toDocument(hit, of)] : []
          }),
          total: totalOf(columns),
          total_relation: isWhole ? 'eq' : 'lte',
          differ: differing.size,
          differ_relation: isWhole ? 'eq' : 'gte',
          incomplete:
            (onlyDifferences ? !isWhole && !hasNext : columns.some(({ found }) => found.incomplete)) ||
            (hasNext && next === null),
          hidden: await hiddenFrom(db, workflowIds, bound ? (columns[0]?.reader.tokens ?? []) : null),
          next,
          ...(facets.length > 0
            ? { facets: countFacets(shown, facets), facets_relation: isWhole ? 'eq' : 'gte' }
            : {}),
        }
        return nameComparison(compared, names, destination)
      })
    },
  }

  /** The documents that the ledgers and the index let a reader find, by the key of one element each. */
  async function readable(
    documents: ReadonlyMap<string, string>,
    { reader, search, workflows }: { reader: IndexReader; search: Search; workflows: WorkflowRow[] },
    signal: AbortSignal,
  ): Promise<Set<string>> {
    const verdicts = await ledgerCheck(db, workflows, reader)([...documents.keys()])
    const admitted = [...documents].filter(([id]) => verdicts.get(id) === 'shown')
    const keys = admitted.map(([, key]) => key)
    if (keys.length === 0) return new Set()
    const read = await search.elements({ keys, tokens: reader.tokens }, signal)
    return new Set(admitted.flatMap(([id, key]) => (read.has(key) ? [id] : [])))
  }

  /** By the ledgers for what the ranking did not reach: no status depends on the length of a page. */
  async function statusesOf(
    { reader, foundIds }: Column,
    { page, search, workflows }: { page: MergedUnit[]; search: Search; workflows: WorkflowRow[] },
    signal: AbortSignal,
  ): Promise<Map<string, LabDocument['people'][number]>> {
    const units = page.map(({ unit }) => unit)
    const missing = units.filter(({ id }) => !foundIds.has(id))
    const missingIds = missing.map(({ id }) => id)
    const verdicts = await ledgerCheck(db, workflows, reader)(missingIds)
    const admitted = missing.filter(({ id }) => verdicts.get(id) === 'shown')
    const keys = admitted.flatMap(({ elements }) => elements[0]?.key ?? [])
    const readable =
      keys.length > 0 ? await search.elements({ keys, tokens: reader.tokens }, signal) : new Map()
    const stopped = missingIds.filter((id) => verdicts.get(id) !== 'shown')
    const workflowIds = workflows.map(({ id }) => id)
    const levels = Map.groupBy(await documentLevels(db, workflowIds, stopped), ({ recordId }) => recordId)
    const check = { ...checkRules(workflows, reader), now: new Date() }
    return new Map(
      units.map(({ id, elements }) => {
        if (foundIds.has(id) || readable.has(elements[0]?.key ?? '')) return [id, FOUND_STATUS]
        if (verdicts.get(id) === 'shown') return [id, HIDDEN_STATUS]
        return [id, stoppedStatus(levels.get(id) ?? [], check)]
      }),
    )
  }
}

type MergedUnit = { unit: RankedUnit; score: number; reader: IndexReader }

function freshDocuments(columns: Column[]): Map<string, MergedUnit> {
  const best = new Map<string, MergedUnit>()
  for (const { reader, found } of columns)
    for (const unit of found.page) {
      const score = unit.elements[0]?.score ?? 0
      const known = best.get(unit.id)
      if (!known || known.score < score) best.set(unit.id, { unit, score, reader })
    }
  return best
}

/** Each document is read with the tokens of a person who finds it. */
async function hitsOf(
  page: MergedUnit[],
  { query, ...of }: Omit<Parameters<typeof readHits>[1]['of'], 'tokens'> & { query: string },
  signal: AbortSignal,
): Promise<Map<string, SearchHit>> {
  const parts = { query, isGrouped: true, neighbours: 0, why: false }
  const byReader = Map.groupBy(page, ({ reader }) => reader)
  const read = await Promise.all(
    [...byReader].map(([{ tokens }, units]) =>
      readHits(
        units.map(({ unit }) => unit),
        { of: { ...of, tokens }, parts },
        signal,
      ),
    ),
  )
  return new Map(read.flat().map((hit) => [hit.record_id, hit]))
}

function toPerson(person: SearchPerson, { reader, found }: Column): LabComparison['people'][number] {
  return {
    name: person.kind === 'bound' ? person.name : null,
    user: person.kind === 'bound' ? null : (person.as.user ?? null),
    active: reader.tokens.length > 0,
    found: found.total,
    found_relation: found.total_relation,
  }
}

function toDocument(hit: SearchHit, people: LabDocument['people']): LabDocument {
  const { record_id, element_id, title, url, space_key, filetype, version, date_modified } = hit
  return {
    record_id,
    element_id,
    title,
    url,
    space_key,
    filetype,
    version,
    date_modified,
    text: hit.text,
    highlights: hit.highlights,
    passages: hit.passages ?? [],
    people,
  }
}

/** Documents of several people count once, as far as they are known. */
function totalOf(columns: Column[]): number {
  const known = new Set(columns.flatMap(({ foundIds }) => [...foundIds]))
  const beyond = columns.map(({ found, foundIds }) => found.total - foundIds.size)
  return known.size + beyond.reduce((sum, each) => sum + each, 0)
}
