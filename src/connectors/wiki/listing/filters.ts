import type { PageInfo, Space, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'

type Filters = Pick<WikiConfig, 'cql' | 'include_labels' | 'exclude_labels'>

/** Whether the settings filter pages. */
export function hasFilters({ cql, include_labels, exclude_labels }: Filters): boolean {
  return cql !== undefined || include_labels.length > 0 || exclude_labels.length > 0
}

/** `undecided`: may not match, because the search lags or labels are unreadable. */
export type SpaceFilter = { rows: PageInfo[]; undecided: ReadonlySet<string> }

export async function byQuery(
  { client, config }: { client: WikiClient; config: Filters },
  { space, rows }: { space: Space; rows: PageInfo[] },
  signal: AbortSignal,
): Promise<SpaceFilter> {
  if (config.cql === undefined) return { rows, undecided: new Set() }
  const [matching, known] = await Promise.all([
    client.matching({ space, cql: config.cql }, signal),
    client.matching({ space, cql: null }, signal),
  ])
  const kept = rows.filter(({ id }) => matching.has(id) || !known.has(id))
  return { rows: kept, undecided: new Set(kept.flatMap(({ id }) => (matching.has(id) ? [] : [id]))) }
}

export type Labelled = { labels: ReadonlyMap<string, readonly string[]>; unlabelled: ReadonlySet<string> }

/** If labels decide, a page with unreadable labels is undecided. */
export function byLabels(config: Filters, { rows, undecided }: SpaceFilter, metadata: Labelled): SpaceFilter {
  const wanted = lower(config.include_labels)
  const unwanted = lower(config.exclude_labels)
  if (wanted.size + unwanted.size === 0) return { rows, undecided }
  const kept = rows.filter(({ id }) => {
    const own = lower(metadata.labels.get(id) ?? [])
    const isSelected = (wanted.size === 0 || !wanted.isDisjointFrom(own)) && unwanted.isDisjointFrom(own)
    return isSelected || metadata.unlabelled.has(id)
  })
  const unsure = kept.flatMap(({ id }) => (metadata.unlabelled.has(id) ? [id] : []))
  return { rows: kept, undecided: new Set([...undecided, ...unsure]) }
}

/** The wiki stores labels in lower case. */
function lower(labels: readonly string[]): Set<string> {
  return new Set(labels.map((label) => label.toLowerCase()))
}
