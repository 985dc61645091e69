import type { PageInfo, Space, WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'

type Filters = Pick<WikiConfig, 'cql' | 'include_labels' | 'exclude_labels'>

/** Whether the settings leave out pages of the spaces that are read. */
export function filters({ cql, include_labels, exclude_labels }: Filters): boolean {
  return cql !== undefined || include_labels.length > 0 || exclude_labels.length > 0
}

/** Only the search can tell what a query means, and the search lags: what it has not heard of yet is undecided. */
export type Meant = { rows: PageInfo[]; undecided: ReadonlySet<string> }

export async function byQuery(
  { client, config }: { client: WikiClient; config: Filters },
  { space, rows }: { space: Space; rows: PageInfo[] },
  signal: AbortSignal,
): Promise<Meant> {
  if (config.cql === undefined) return { rows, undecided: new Set() }
  const [meant, known] = await Promise.all([
    client.matching({ space, cql: config.cql }, signal),
    client.matching({ space, cql: null }, signal),
  ])
  const kept = rows.filter(({ id }) => meant.has(id) || !known.has(id))
  return { rows: kept, undecided: new Set(kept.flatMap(({ id }) => (meant.has(id) ? [] : [id]))) }
}

export function byLabels<T extends { id: string }>(
  config: Filters,
  rows: T[],
  labels: ReadonlyMap<string, readonly string[]>,
): T[] {
  const wanted = lower(config.include_labels)
  const unwanted = lower(config.exclude_labels)
  return rows.filter(({ id }) => {
    const own = lower(labels.get(id) ?? [])
    return (wanted.size === 0 || !wanted.isDisjointFrom(own)) && unwanted.isDisjointFrom(own)
  })
}

/** The wiki writes labels in lower case whatever was typed. */
function lower(labels: readonly string[]): Set<string> {
  return new Set(labels.map((label) => label.toLowerCase()))
}
