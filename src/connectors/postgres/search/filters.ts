import { ancestorOf, facetTexts, timeBound } from '../../kit/filter-values.ts'
import type { DateRange, FacetName, FacetValues, SearchFilters } from '../../search.ts'
import { readableCondition } from './readable.ts'
import { type Values, withoutNul } from './statement.ts'

/** SQL for what the reader may read and the filters let pass. */
export function conditionOf(
  { tokens, filters = {} }: { tokens: string[]; filters?: SearchFilters },
  values: Values,
): string {
  const { space_key: spaces, labels, ancestors, author, filetype, record_id: records } = filters
  const textsOf = (texts: string[]) => values.add(withoutNul(texts), 'text[]')
  const equals = (sql: string, texts: string[] | undefined) =>
    texts?.length ? [`${sql} = any (${textsOf(texts)})`] : []
  return [
    readableCondition(textsOf(tokens)),
    ...equals(SPACE_KEY, spaces),
    ...(labels?.length ? [`data_source->'labels' ?| ${textsOf(labels)}`] : []),
    ...equals(AUTHOR, author),
    ...equals(FILETYPE, filetype),
    ...equals('record_id', records),
    ...equals(ARCHIVE_PATH_SQL, filters.path_in_archive),
    ...(ancestors?.length
      ? [
          `(${
            withoutNul(ancestors)
              .map((page) => below(page, values))
              .join(' or ') || false
          })`,
        ]
      : []),
    ...between("data_source->>'date_created'", filters.created, values),
    ...between(MODIFIED, filters.modified, values),
  ].join('\n and ')
}

const SPACE_KEY = "data_source->'record_locator'->>'space_key'"
const AUTHOR = "data_source->>'author'"
export const ARCHIVE_PATH_SQL = "metadata->>'path_in_archive'"
const FILETYPE = "metadata->>'filetype'"
const MODIFIED = "data_source->>'date_modified'"

function below(page: string, values: Values): string {
  const { id, site } = ancestorOf(page)
  const ancestor = values.add(JSON.stringify([{ id }]), 'jsonb')
  const isBelow = `data_source->'ancestors' @> ${ancestor}`
  return site === '' ? isBelow : `(${isBelow} and starts_with(record_id, ${values.add(site, 'text')}))`
}

/** Compared as texts: a cast would fail the search at a value that is no time. */
function between(sql: string, range: DateRange | undefined, values: Values): string[] {
  if (!range) return []
  const { gte, lte } = range
  const time = `(${sql}) collate "C"`
  return [
    ...(gte === undefined ? [] : [`${time} >= ${values.add(timeBound(gte, 'start'), 'text')}`]),
    ...(lte === undefined ? [] : [`${time} <= ${values.add(timeBound(lte, 'end'), 'text')}`]),
  ]
}

const FACETS: Record<FacetName, string> = {
  space_key: SPACE_KEY,
  labels: "data_source->'labels'",
  filetype: FILETYPE,
  author: AUTHOR,
  modified: MODIFIED,
}

/** A column with a JSON list: the value of each facet. */
export function facetsColumn(names: FacetName[]): string {
  return `jsonb_build_array(${names.map((name) => FACETS[name]).join()}) as facets`
}

export function facetsOf(values: unknown[], names: FacetName[]): FacetValues {
  return Object.fromEntries(names.map((name, at) => [name, facetTexts(values[at])]))
}
