import type { CursorPaging, Sorting } from '../../../components/data-table.tsx'
import { oneOf } from '../../../shell/search-values.ts'
import { useJobAddress } from '../job-address.ts'
import { type DocumentPage, documentSorts, type JobSearch } from '../types.ts'

/** New filters or a new sort order start at page one. */
export const FIRST_PAGE = { cursor: undefined, page: undefined } satisfies JobSearch

/** The sort order in the address, for the table and the service. */
export function useSorting(): { sorting: Sorting; order: Record<string, string | undefined> } {
  const { search, go } = useJobAddress()
  const { sort, desc } = search
  return {
    order: { sort_by: sort, sort_direction: sort && desc ? 'desc' : undefined },
    sorting: {
      sort: sort && { by: sort, direction: desc ? 'descending' : 'ascending' },
      onSort: ({ by, direction }) =>
        go({
          sort: oneOf(by, documentSorts),
          desc: direction === 'descending' ? true : undefined,
          ...FIRST_PAGE,
        }),
    },
  }
}

// While loading, buttons stay enabled: a disabled button would lose focus.
const doNothing = () => {}

/** Pages are addresses, so that links and history work. Page one needs no cursor, even after new entries. */
export function usePaging(): (current: DocumentPage | undefined) => CursorPaging {
  const { search, go } = useJobAddress()
  const { page = 1 } = search
  return (current) => {
    if (!current) return { page, previous: page === 1 ? undefined : doNothing, next: doNothing }
    const { next, previous } = current
    const before = page === 2 || !previous ? FIRST_PAGE : { cursor: previous, page: page - 1 }
    return {
      page,
      previous: page === 1 ? undefined : () => go(before),
      next: next ? () => go({ cursor: next, page: page + 1 }) : undefined,
    }
  }
}
