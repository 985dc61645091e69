import type { FacetName, RankedElement } from '../connectors/search.ts'
import { foundIdOf } from './archive-file.ts'

export type FacetCount = { value: string; count: number }
export type Facets = Partial<Record<FacetName, FacetCount[]>>

const MAX_VALUES = 50

/** Counts documents among checked elements only: a count never includes a document that the person may not read. */
export function countFacets(shown: RankedElement[], names: FacetName[]): Facets {
  const documents = new Map(shown.map((element) => [foundIdOf(element), element.facets ?? {}]))
  return Object.fromEntries(
    names.map((name) => {
      const counts = new Map<string, number>()
      for (const values of documents.values())
        for (const value of new Set((values[name] ?? []).map((each) => bucketOf(name, each))))
          counts.set(value, (counts.get(value) ?? 0) + 1)
      return [name, sorted(name, counts).slice(0, MAX_VALUES)]
    }),
  )
}

/** Dates count by month. */
function bucketOf(name: FacetName, value: string): string {
  return name === 'modified' ? value.slice(0, 'YYYY-MM'.length) : value
}

function sorted(name: FacetName, counts: Map<string, number>): FacetCount[] {
  const all = [...counts].map(([value, count]) => ({ value, count }))
  return all.sort((a, b) =>
    name === 'modified'
      ? b.value.localeCompare(a.value)
      : b.count - a.count || a.value.localeCompare(b.value),
  )
}
