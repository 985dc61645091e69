import { useMemo, useState } from 'react'
import { LOCALE } from '../texts/language.ts'

export type Sort = { by: string; direction: 'ascending' | 'descending' }
type Sortable<Row> = { id: string; sortBy?: (row: Row) => string | number | null }

export const PAGE_ROWS = 50

type Options<Row> = {
  rows: Row[] | undefined
  columns: Sortable<Row>[]
  initialSort: Sort | undefined
  /** Whether to page in the browser; otherwise the service does. */
  paged: boolean
}

/** Sorts and pages in the browser, so that long lists render fast. */
export function useRows<Row>({ rows = [], columns, initialSort, paged }: Options<Row>) {
  const [sort, setSort] = useState(initialSort)
  const [requestedPage, setRequestedPage] = useState(0)
  const sortBy = columns.find(({ id }) => id === sort?.by)?.sortBy
  const direction = sort?.direction
  // biome-ignore lint/correctness/useExhaustiveDependencies: columns are new objects on every render.
  const sorted = useMemo(() => sortRows(rows, sortBy, direction), [rows, sort?.by, direction])
  const last = Math.max(0, Math.ceil(sorted.length / PAGE_ROWS) - 1)
  const page = paged ? Math.min(requestedPage, last) : 0
  const from = page * PAGE_ROWS
  const shown = paged ? sorted.slice(from, from + PAGE_ROWS) : sorted

  return {
    rows: shown,
    sort,
    sortBy: (by: string) => {
      setRequestedPage(0)
      setSort((now) => nextSort(now, by))
    },
    pager:
      paged && last > 0
        ? {
            from: from + 1,
            to: from + shown.length,
            all: sorted.length,
            previous: page > 0 ? () => setRequestedPage(page - 1) : undefined,
            next: page < last ? () => setRequestedPage(page + 1) : undefined,
          }
        : undefined,
  }
}

/** Ascending first, then descending. */
export function nextSort(now: Sort | undefined, by: string): Sort {
  return { by, direction: now?.by === by && now.direction === 'ascending' ? 'descending' : 'ascending' }
}

const collator = new Intl.Collator(LOCALE, { numeric: true, sensitivity: 'base' })

/** Empty values come last in both directions. */
export function sortRows<Row>(
  rows: Row[],
  sortBy: ((row: Row) => string | number | null) | undefined,
  direction: Sort['direction'] = 'ascending',
): Row[] {
  if (!sortBy) return rows
  const sign = direction === 'ascending' ? 1 : -1
  return rows.toSorted((one, other) => {
    const [a, b] = [sortBy(one), sortBy(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return (
      sign * (typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b)))
    )
  })
}
