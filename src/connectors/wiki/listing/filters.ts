import type { PageInfo, Space, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'

type Filters = Pick<WikiConfig, 'cql' | 'include_labels' | 'exclude_labels'>

export function hasLabelFilters({ include_labels, exclude_labels }: Filters): boolean {
  return include_labels.length > 0 || exclude_labels.length > 0
}

/** `undecided`: may not match, because the search lags or labels are unreadable. */
export type FilteredPages = { rows: PageInfo[]; undecided: ReadonlySet<string> }

/** Whether the query selects a page. */
export type QueryFilter = (id: string) => 'selected' | 'undecided' | 'dropped'

/** Filters the pages of a space, or at most 250 pages with these `ids`. Keeps the ids of the matching pages. */
export async function createQueryFilter(
  { client, config }: { client: WikiClient; config: Filters },
  pages: { space: Space; ids?: string[] },
  signal: AbortSignal,
): Promise<QueryFilter> {
  if (config.cql === undefined) return () => 'selected'
  const [matching, known] = await Promise.all([
    client.matching({ ...pages, cql: config.cql }, signal),
    client.matching({ ...pages, cql: null }, signal),
  ])
  return (id) => (matching.has(id) ? 'selected' : known.has(id) ? 'dropped' : 'undecided')
}

export function filterByQuery(filter: QueryFilter, rows: PageInfo[]): FilteredPages {
  const idsOf = (found: PageInfo[]) => new Set(found.map(({ id }) => id))
  return {
    rows: rows.filter(({ id }) => filter(id) !== 'dropped'),
    undecided: idsOf(rows.filter(({ id }) => filter(id) === 'undecided')),
  }
}

export type PageLabels = {
  labels: ReadonlyMap<string, readonly string[]>
  unreadableLabels: ReadonlySet<string>
}

/** If labels decide, a page with unreadable labels is undecided. */
export function filterByLabels(
  config: Filters,
  { rows, undecided }: FilteredPages,
  metadata: PageLabels,
): FilteredPages {
  const included = lowerCaseSet(config.include_labels)
  const excluded = lowerCaseSet(config.exclude_labels)
  if (included.size + excluded.size === 0) return { rows, undecided }
  const kept = rows.filter(({ id }) => {
    const own = lowerCaseSet(metadata.labels.get(id) ?? [])
    const isSelected = (included.size === 0 || !included.isDisjointFrom(own)) && excluded.isDisjointFrom(own)
    return isSelected || metadata.unreadableLabels.has(id)
  })
  const undecidedByLabel = kept.flatMap(({ id }) => (metadata.unreadableLabels.has(id) ? [id] : []))
  return { rows: kept, undecided: new Set([...undecided, ...undecidedByLabel]) }
}

/** The wiki stores labels in lower case. */
function lowerCaseSet(labels: readonly string[]): Set<string> {
  return new Set(labels.map((label) => label.toLowerCase()))
}
