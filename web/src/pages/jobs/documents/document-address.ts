import { useNavigate, useSearch } from '@tanstack/react-router'
import type { CursorPaging, Sorting } from '../../../components/data-table.tsx'
import { useWorkspace } from '../../../service/session.ts'
import { oneOf } from '../../../shell/search-values.ts'
import { type DocumentPage, documentSorts, type JobSearch } from '../types.ts'

const PATH = '/w/$workspaceId/jobs/$jobId'

/** New filters or a new sort order start at page one. */
export const FIRST_PAGE = { cursor: undefined, page: undefined } satisfies JobSearch

/** The sort order in the address, for the table and the service. */
export function useSorting(jobId: string): { sorting: Sorting; order: Record<string, string | undefined> } {
  const { sort, desc } = useSearch({ from: `/signed-in${PATH}` })
  const go = useAddressChange(jobId)
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

/** Pages are addresses, so that links and history work. */
export function usePaging(jobId: string): (current: DocumentPage | undefined) => CursorPaging {
  const { page = 1 } = useSearch({ from: `/signed-in${PATH}` })
  const go = useAddressChange(jobId)
  return (current) => ({
    page,
    previous: previousOf(page, current, go),
    next: nextOf(page, current, go),
  })
}

// While loading, buttons stay enabled: a disabled button would lose focus.
const doNothing = () => {}

type Go = (changes: JobSearch) => void

function nextOf(page: number, current: DocumentPage | undefined, go: Go): CursorPaging['next'] {
  if (!current) return doNothing
  const { next } = current
  return next ? () => go({ cursor: next, page: page + 1 }) : undefined
}

/** Page one needs no cursor, even after new entries. */
function previousOf(page: number, current: DocumentPage | undefined, go: Go): CursorPaging['previous'] {
  if (page === 1) return undefined
  if (!current) return doNothing
  const { previous } = current
  return page === 2 || !previous ? () => go(FIRST_PAGE) : () => go({ cursor: previous, page: page - 1 })
}

function useAddressChange(jobId: string): Go {
  const { id: workspaceId } = useWorkspace()
  const search = useSearch({ from: `/signed-in${PATH}` })
  const navigate = useNavigate()
  return (changes) =>
    void navigate({
      to: PATH,
      params: { workspaceId, jobId },
      search: { ...search, tab: 'documents', document: undefined, ...changes },
      resetScroll: false,
    })
}
