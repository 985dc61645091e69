import { inBatches } from './batches.ts'
import type { WikiClient } from './client.ts'

type Known = { recordId: string; locator: Record<string, string> }

/**
 * Of pages that a listing did not show, those that the wiki says are gone: unknown, trashed, deleted, archived
 * or moved to a space that is not read. What cannot be asked about stays.
 */
export async function confirmGone(
  client: WikiClient,
  asked: { documents: Known[]; spaces: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<Set<string>> {
  const prefix = `${client.site.name}/`
  // A page and its files are several documents behind one page id.
  const ours = new Map<string, string[]>()
  for (const { recordId, locator } of asked.documents) {
    const id = locator.page_id ?? recordId.slice(prefix.length)
    if (recordId.startsWith(prefix) && /^\d+$/.test(id)) ours.set(id, [...(ours.get(id) ?? []), recordId])
  }
  const gone = new Set<string>()
  await inBatches([...ours.keys()], {
    size: 250,
    smallest: 1,
    fetch: async (ids) => {
      const rows = new Map((await client.pagesById(ids, signal)).map((row) => [row.id, row]))
      for (const id of ids) {
        const row = rows.get(id)
        const elsewhere = row?.spaceId != null && !asked.spaces.has(row.spaceId)
        if (row?.status === 'current' && !elsewhere) continue
        for (const recordId of ours.get(id)!) gone.add(recordId)
      }
      return []
    },
  })
  return gone
}
