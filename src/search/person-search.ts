import { levelsOf, nativeOf } from '../connectors/capabilities.ts'
import type { NativeQuery, Search } from '../connectors/search.ts'
import { invalid, notFound } from '../errors.ts'
import { type Connections, withSource } from '../jobs/connections.ts'
import { siteOfRecord } from '../record-id.ts'
import type { ConnectorRow } from '../store/connectors/connectors.ts'
import type { Database } from '../store/database.ts'
import { findLedgerEntries } from '../store/ledger/ledger-view.ts'
import type { WorkflowRow } from '../store/workflows/workflows.ts'
import { auditSearch } from './audit-search.ts'
import { type CheckedRanking, rankChecked } from './checked-ranking.ts'
import type { SearchContext } from './context.ts'
import { createCursors, NOTHING_SEEN, type SeenHits } from './cursor.ts'
import { explanation } from './explanation.ts'
import { countFacets } from './facets.ts'
import { hiddenFrom } from './hidden-scopes.ts'
import { readHits } from './hits.ts'
import { ledgerCheck } from './ledger-check.ts'
import { type IndexReader, type Memberships, PATIENCE_MS } from './memberships.ts'
import type { Names } from './names.ts'
import { withOpenSearch } from './open-search.ts'
import { principalLists, withNames } from './principals.ts'
import { queryVector } from './query-vector.ts'
import { readDocument } from './read-document.ts'
import { toFilters } from './request-filters.ts'
import { personKey, type SearchPerson } from './search-person.ts'
import type { Explanation, ReadDocument, SearchResults } from './shapes/search.ts'
import type { SearchOptions } from './shapes/search-request.ts'
import { workflowsWritingTo } from './writers.ts'

/** Who asks, and as whom. The caller has checked that the destination is theirs. */
export type SearchAs = {
  workspaceId: string
  actor: string
  destination: ConnectorRow
  person: SearchPerson
}

/** Search as a person: always filtered, checked against the ledgers, and audited. */
export interface SearchService {
  search(input: SearchAs & { request: SearchOptions }, signal: AbortSignal): Promise<SearchResults>
  /** The search as a query of the destination itself, before the check against the ledgers. */
  nativeQuery(input: SearchAs & { request: SearchOptions }, signal: AbortSignal): Promise<NativeQuery>
  /** Null if the person may not read the document, or it does not exist. */
  read(
    input: SearchAs & { recordId: string; path?: string; cursor?: string; limit?: number },
    signal: AbortSignal,
  ): Promise<ReadDocument | null>
  /** By the current permissions of the source. A bound person gets no answer about documents they may not read. */
  why(input: SearchAs & { recordId: string }, signal: AbortSignal): Promise<Explanation>
}

export function createSearchService(
  { resources, connections }: SearchContext,
  { memberships, names }: { memberships: Memberships; names: Names },
): SearchService {
  const { db } = resources
  const cursors = createCursors(resources.vault)

  const audit = (as: SearchAs, action: string, subject: object) => auditSearch(db, as, { action, subject })

  const withSearch = <T>({ id }: ConnectorRow, work: (search: Search) => Promise<T>) =>
    withOpenSearch(connections, id, work)

  async function readerOf({ person, destination }: SearchAs, signal: AbortSignal) {
    const workflows = await workflowsWritingTo(resources, destination)
    const reader = await memberships.readerOf(person, destination, signal)
    return { workflows, reader }
  }

  return {
    async search({ request, ...as }, signal) {
      const { query, from = 0 } = request
      const { destination, person } = as
      const filters = toFilters(request.filters)
      const groupBy = request.group_by ?? 'element'
      const boundTo = [destination.id, personKey(person), query, filters, groupBy]
      if (request.search_after && from > 0)
        throw invalid(['body', 'from'], 'not accepted with search_after, which continues after a page')
      const seen = request.search_after ? cursors.read(request.search_after, boundTo) : NOTHING_SEEN
      const { workflows, reader } = await readerOf(as, signal)
      await audit(as, 'search', { query })
      const nextCursor = (passed: string[]) => cursors.write(passed, seen, boundTo)
      return withSearch(destination, (search) =>
        searchPage(
          { request, filters, groupBy, seen, isBound: person.kind === 'bound' },
          { resources, search, reader, workflows, nextCursor },
          signal,
        ),
      )
    },

    async nativeQuery({ request, ...as }, signal) {
      const { query, size = 10, from = 0 } = request
      const filters = toFilters(request.filters)
      const { workflows, reader } = await readerOf(as, signal)
      await audit(as, 'native_query', { query })
      return withSearch(as.destination, async (search) => {
        const near = await queryVector(query, { workflows, search, resources }, signal)
        const { tokens } = reader
        const wanted = { query, tokens, filters, size, from, ...near }
        return nativeOf(search)(wanted, signal)
      })
    },

    async read({ recordId, path, cursor, limit = 100, ...as }, signal) {
      const { workflows, reader } = await readerOf(as, signal)
      await audit(as, 'read', { record_id: recordId })
      return withSearch(as.destination, (search) =>
        readDocument(
          {
            recordId,
            limit,
            ...(path === undefined ? {} : { path }),
            ...(cursor === undefined ? {} : { cursor }),
          },
          { db, search, reader, workflows },
          signal,
        ),
      )
    },

    async why({ recordId, ...as }, signal) {
      const { workflows, reader } = await readerOf(as, signal)
      await audit(as, 'explain', { record_id: recordId })
      const isBound = as.person.kind === 'bound'
      if (isBound) {
        const shown = await withSearch(as.destination, (search) =>
          readDocument({ recordId, limit: 1 }, { db, search, reader, workflows }, signal),
        )
        if (!shown) throw notFound('Document')
      }
      const { sourceId, levels } = await levelsInSource(recordId, { db, connections, workflows }, signal)
      const explained = explanation(levels, reader.personIn(sourceId), isBound ? 'own' : 'all')
      // The levels hold titles that the source shows only to its readers.
      if (isBound && !explained.allowed) throw notFound('Document')
      return nameChain(explained, names, { destination: as.destination, recordId })
    },
  }
}

type SearchedIndex = {
  resources: SearchContext['resources']
  search: Search
  reader: IndexReader
  workflows: WorkflowRow[]
  nextCursor(passed: CheckedRanking['passed']): string | null
}
type SearchedPage = {
  request: SearchOptions
  filters: ReturnType<typeof toFilters>
  groupBy: 'element' | 'document'
  seen: SeenHits
  isBound: boolean
}

async function searchPage(
  { request, filters, groupBy, seen, isBound }: SearchedPage,
  { resources, search, reader, workflows, nextCursor }: SearchedIndex,
  signal: AbortSignal,
): Promise<SearchResults> {
  const { query, size = 10, from = 0, facets = [], neighbours = 0, why = false } = request
  const { db } = resources
  const { tokens } = reader
  const workflowIds = workflows.map(({ id }) => id)
  const near = await queryVector(query, { workflows, search, resources }, signal)
  const found = await rankChecked(
    {
      request: {
        query,
        tokens,
        filters,
        ...near,
        ...(facets.length > 0 ? { facets } : {}),
      },
      from,
      size,
      groupBy,
      isSeen: (id) => seen.has(id),
      seen: seen.size,
    },
    { search, check: ledgerCheck(db, workflows, reader) },
    signal,
  )
  const parts = { query, isGrouped: groupBy === 'document', neighbours, why }
  const of = { db, search, tokens, workflowIds }
  const { total, total_relation, unknown_document } = found
  const next = found.hasNext ? nextCursor(found.passed) : null
  const visibleTo = isBound ? tokens : null
  return {
    total,
    total_relation,
    unknown_document,
    incomplete: found.incomplete || (found.hasNext && next === null),
    hidden: await hiddenFrom(db, workflowIds, visibleTo),
    hits: await readHits(found.page, { of, parts }, signal),
    next,
    ...(facets.length > 0 ? facetsOf(found, facets) : {}),
  }
}

/** As the first source that still has the document answers now. */
async function levelsInSource(
  recordId: string,
  { db, connections, workflows }: { db: Database; connections: Connections; workflows: WorkflowRow[] },
  signal: AbortSignal,
) {
  for (const { id: workflowId, source_id: sourceId } of workflows) {
    const entry = (await findLedgerEntries(db, [workflowId], [recordId])).get(recordId)
    if (!entry || !sourceId) continue
    const levels = await withSource(connections, { sourceId, maxWaitMs: PATIENCE_MS }, (source) =>
      levelsOf(source)(entry, signal),
    )
    return { sourceId, levels }
  }
  throw notFound('Document')
}

async function nameChain(
  explained: Explanation,
  names: Names,
  { destination, recordId }: { destination: ConnectorRow; recordId: string },
): Promise<Explanation> {
  const ids = principalLists(explained.chain.map(({ principals }) => principals))
  const found = await names.of(destination, ids, { site: siteOfRecord(recordId) })
  const chain = explained.chain.map((level) => {
    return { ...level, principals: withNames(level.principals, found) }
  })
  return { ...explained, chain }
}

function facetsOf({ shown, isWhole }: CheckedRanking, names: NonNullable<SearchOptions['facets']>) {
  return { facets: countFacets(shown, names), facets_relation: isWhole ? ('eq' as const) : ('gte' as const) }
}
