import { useState } from 'react'
import type { CursorPaging } from '../components/data-table.tsx'

/** Cursor paging: query with `cursor.at`, then `cursor.paging(response?.next)`. */
export function useCursor(filters = '') {
  const [stored, set] = useState<{ cursors: string[]; filters: string }>({ cursors: [], filters })
  // New filters start at the first page.
  const cursors = stored.filters === filters ? stored.cursors : []
  return {
    at: cursors.at(-1),
    paging: (next: string | null | undefined): CursorPaging => ({
      page: cursors.length + 1,
      previous: cursors.length > 0 ? () => set({ cursors: cursors.slice(0, -1), filters }) : undefined,
      next: next ? () => set({ cursors: [...cursors, next], filters }) : undefined,
    }),
  }
}
