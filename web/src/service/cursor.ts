import { useState } from 'react'
import type { CursorPaging } from '../components/data-table.tsx'

/** Cursor paging: query with `cursor.at`, then `cursor.paging(answer?.next)`. */
export function useCursor(filters = '') {
  const [{ path, of }, set] = useState<{ path: string[]; of: string }>({ path: [], of: filters })
  // Other filters start at the first page.
  const cursors = of === filters ? path : []
  return {
    at: cursors.at(-1),
    paging: (next: string | null | undefined): CursorPaging => ({
      page: cursors.length + 1,
      previous: cursors.length > 0 ? () => set({ path: cursors.slice(0, -1), of: filters }) : undefined,
      next: next ? () => set({ path: [...cursors, next], of: filters }) : undefined,
    }),
  }
}
