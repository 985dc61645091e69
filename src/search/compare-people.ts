import type { RankedElement } from '../connectors/search.ts'
import type { ConnectorRow } from '../store/connectors/connectors.ts'
import { scopeNames } from '../store/ledger/scopes.ts'
import { foundIdOf } from './archive-file.ts'
import { auditSearch } from './audit-search.ts'
import {
  type Column,
  type ComparedIndex,
  freshDocuments,
  type MergedUnit,
  rankColumn,
  readable,
  statusesOf,
  totalOf,
} from './comparison-column.ts'
import type { SearchContext } from './context.ts'
import { createCursors, NOTHING_SEEN } from './cursor.ts'
import { countFacets } from './facets.ts'
import { countFinders, DOCUMENTS_COMPARED, doFindersDiffer, findersOf } from './finders.ts'
import { hiddenFrom } from './hidden-scopes.ts'
import { readHits } from './hits.ts'
import type { Memberships } from './memberships.ts'
import { nameComparison } from './name-comparison.ts'
import type { Names } from './names.ts'
import { withOpenSearch } from './open-search.ts'
import { queryVector } from './query-vector.ts'
import { toFilters } from './request-filters.ts'
import { personKey, type SearchPerson } from './search-person.ts'
import type { CompareOptions, LabComparison, LabDocument } from './shapes/lab.ts'
import type { SearchHit } from './shapes/search.ts'
import { HIDDEN_STATUS } from './stopped-by.ts'
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
      const depth = onlyDifferences ? Math.max(size, DOCUMENTS_COMPARED) : size
      const seen = request.search_after ? cursors.read(request.search_after, boundTo) : NOTHING_SEEN
      // The same person twice is searched and audited once.
      const distinct = new Map(people.map((person, at) => [keys[at] ?? '', person]))
      const workflows = await workflowsWritingTo(resources, destination)
      const workflowIds = workflows.map(({ id }) => id)
      const readerOf = async ([key, person]: [string, SearchPerson]) =>
        [key, await memberships.readerOf(person, destination, signal)] as const
      const readers = await Promise.all([...distinct].map(readerOf))
      const audited = { action: 'search', subject: { query } }
      for (const person of distinct.values())
        await auditSearch(db, { workspaceId, actor, destination, person }, audited)

      return withOpenSearch(connections, destination.id, async (search) => {
        const near = await queryVector(query, { workflows, search, resources }, signal)
        const ranking = {
          query,
          filters,
          ...near,
          ...(facets.length > 0 ? { facets } : {}),
        }
        const of = { db, search, workflows }
        const columnOf = async ([key, reader]: (typeof readers)[number]) =>
          [key, await rankColumn(reader, { ...of, ranking, depth, seen }, signal)] as const
        const byKey = new Map(await Promise.all(readers.map(columnOf)))
        const columns = [...byKey.values()]
        const isWhole = columns.every(({ found }) => found.isWhole)
        const finders = await findersOf<RankedElement>(
          columns.map(({ reader, found }) => ({
            found: new Map(found.shown.map((element) => [foundIdOf(element), element])),
            findsAlso: (documents) => readable(documents, { ...of, reader }, signal),
          })),
        )
        const counts = countFinders(finders.values(), columns.length)
        const differs = ({ unit }: MergedUnit) => doFindersDiffer(finders.get(unit.id))
        const fresh = [...freshDocuments(columns).values()]
          .filter((each) => !onlyDifferences || differs(each))
          .sort((a, b) => Number(differs(b)) - Number(differs(a)) || b.score - a.score)
        const page = fresh.slice(0, size)
        const hasNext =
          fresh.length > page.length || (!onlyDifferences && columns.some(({ found }) => found.hasNext))
        const passed = page.map(({ unit }) => unit.id)
        const next = hasNext ? cursors.write(passed, seen, boundTo) : null
        const bound = people.find(({ kind }) => kind === 'bound')
        const shown = columns.flatMap(({ found }) => found.shown)
        const documents = await documentsOf(page, { ...of, byKey, keys, query }, signal)
        const counted = facets.length > 0 ? countFacets(shown, facets) : undefined
        const hidden = await hiddenFrom(db, workflowIds, bound ? (columns[0]?.reader.tokens ?? []) : null)
        const spaces = [
          ...documents.flatMap(({ space_key: key }) => key ?? []),
          ...(counted?.space_key ?? []).map(({ value }) => value),
          ...hidden.map(({ scope }) => scope),
        ]
        const compared: LabComparison = {
          people: people.map((person, at) => {
            const column = [...byKey.keys()].indexOf(keys[at] ?? '')
            return toPerson(person, columns[column]!, {
              found: counts.found[column]!,
              only: counts.only[column]!,
            })
          }),
          documents,
          total: totalOf(columns),
          total_relation: isWhole ? 'eq' : 'lte',
          everyone: counts.everyone,
          differ: counts.differ,
          differ_relation: isWhole ? 'eq' : 'gte',
          incomplete:
            (onlyDifferences ? !isWhole && !hasNext : columns.some(({ found }) => found.incomplete)) ||
            (hasNext && next === null),
          hidden,
          space_names: await scopeNames(db, workflowIds, spaces),
          next,
          ...(counted ? { facets: counted, facets_relation: isWhole ? 'eq' : 'gte' } : {}),
        }
        return nameComparison(compared, names, destination)
      })
    },
  }
}

/** The documents of a page with the status of each for every person. */
async function documentsOf(
  page: MergedUnit[],
  {
    byKey,
    keys,
    query,
    ...of
  }: ComparedIndex & { byKey: Map<string, Column>; keys: string[]; query: string },
  signal: AbortSignal,
): Promise<LabDocument[]> {
  const { db, search, workflows } = of
  const workflowIds = workflows.map(({ id }) => id)
  const hits = await hitsOf(page, { db, search, workflowIds, query }, signal)
  const statusByKey = new Map(
    await Promise.all(
      [...byKey].map(
        async ([key, column]) => [key, await statusesOf(column, { ...of, page }, signal)] as const,
      ),
    ),
  )
  return page.flatMap(({ unit }) => {
    const hit = hits.get(unit.id)
    const statuses = keys.map((key) => statusByKey.get(key)?.get(unit.id) ?? HIDDEN_STATUS)
    return hit ? [toDocument(hit, statuses)] : []
  })
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
  return new Map(read.flat().map((hit) => [foundIdOf(hit), hit]))
}

function toPerson(
  person: SearchPerson,
  { reader, found, foundIds }: Column,
  counts: { found: number; only: number },
): LabComparison['people'][number] {
  return {
    name: person.kind === 'bound' ? person.name : null,
    user: person.kind === 'bound' ? null : (person.as.user ?? null),
    active: reader.tokens.length > 0,
    found: counts.found + found.total - foundIds.size,
    found_relation: found.total_relation,
    only: counts.only,
  }
}

function toDocument(hit: SearchHit, people: LabDocument['people']): LabDocument {
  const { record_id, element_id, title, url, space_key, filetype, version, date_modified } = hit
  const { path_in_archive } = hit
  return {
    record_id,
    element_id,
    title,
    url,
    space_key,
    filetype,
    path_in_archive,
    version,
    date_modified,
    text: hit.text,
    highlights: hit.highlights,
    passages: hit.passages ?? [],
    people,
  }
}
