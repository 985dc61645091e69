import { CLAUSE_NAMES } from '../../permissions/algebra.ts'
import { ancestorOf, facetTexts } from '../kit/filter-values.ts'
import type { DateRange, FacetName, FacetValues, SearchFilters } from '../search.ts'
import type { SearchQuery } from './engines/engine.ts'
import { ACCESS, LABELS, PATH_IN_ARCHIVE, SPACE_KEY } from './schema/schema.ts'

const AUTHOR = 'metadata.data_source.author'
const ANCESTORS = 'metadata.data_source.ancestors.id'
const FILETYPE = 'metadata.filetype'
const CREATED = 'metadata.data_source.date_created'
const MODIFIED = 'metadata.data_source.date_modified'

/** `c0` must match; later clauses match or are absent. */
export function readableBy(tokens: string[]): SearchQuery[] {
  const [first, ...later] = CLAUSE_NAMES.map((clause) => `${ACCESS}.${clause}`)
  return [
    { terms: { [first!]: tokens } },
    ...later.map((field) =>
      anyQuery([{ terms: { [field]: tokens } }, { bool: { must_not: { exists: { field } } } }]),
    ),
  ]
}

export function filterQueries(filters: SearchFilters = {}): SearchQuery[] {
  const { space_key: spaces, labels, ancestors, author, filetype, record_id: records } = filters
  return [
    ...exactly(SPACE_KEY, spaces),
    ...exactly(LABELS, labels),
    ...exactly(AUTHOR, author),
    ...exactly(FILETYPE, filetype),
    ...(records?.length ? [anyQuery([...exactly('record_id', records), ...records.map(sameWords)])] : []),
    ...exactly(PATH_IN_ARCHIVE, filters.path_in_archive),
    ...(ancestors?.length ? [anyQuery(ancestors.map(below))] : []),
    ...between(CREATED, filters.created),
    ...between(MODIFIED, filters.modified),
  ]
}

/** Older schemas hold these as text with a keyword subfield. */
function exactly(field: string, values: string[] | undefined): SearchQuery[] {
  if (!values || values.length === 0) return []
  return [anyQuery([{ terms: { [field]: values } }, { terms: { [`${field}.keyword`]: values } }])]
}

function below(page: string): SearchQuery {
  const { id, site } = ancestorOf(page)
  const prefixes = ['record_id', 'record_id.keyword'].map((field) => ({ prefix: { [field]: site } }))
  return {
    bool: {
      filter: [
        ...exactly(ANCESTORS, [id]),
        ...(site === '' ? [] : [anyQuery([...prefixes, sameWords(site)])]),
      ],
    },
  }
}

/**
 * Record ids with the words of an id, where the index has only their words. `hasRecord` drops other ids with the same
 * words.
 */
function sameWords(id: string): SearchQuery {
  return {
    bool: {
      must: [{ match: { record_id: { query: id, operator: 'and' } } }],
      must_not: [{ exists: { field: 'record_id.keyword' } }],
    },
  }
}

/** Whether a record id passes the filters on it, letter by letter. */
export function hasRecord({ record_id: records, ancestors }: SearchFilters, recordId: string): boolean {
  const isRecord = !records?.length || records.includes(recordId)
  return (
    isRecord && (!ancestors?.length || ancestors.some((page) => recordId.startsWith(ancestorOf(page).site)))
  )
}

function between(field: string, range: DateRange | undefined): SearchQuery[] {
  return range && Object.keys(range).length > 0 ? [{ range: { [field]: range } }] : []
}

function anyQuery(should: SearchQuery[]): SearchQuery {
  return { bool: { should, minimum_should_match: 1 } }
}

const FACET_FIELDS: Record<FacetName, string> = {
  space_key: SPACE_KEY,
  labels: LABELS,
  filetype: FILETYPE,
  author: AUTHOR,
  modified: MODIFIED,
}

export function facetFields(names: FacetName[]): string[] {
  return names.map((name) => FACET_FIELDS[name])
}

export function facetValues(source: object, names: FacetName[]): FacetValues {
  return Object.fromEntries(names.map((name) => [name, valuesAt(source, FACET_FIELDS[name])]))
}

function valuesAt(source: unknown, path: string): string[] {
  let value = source
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name]
  return facetTexts(value)
}
