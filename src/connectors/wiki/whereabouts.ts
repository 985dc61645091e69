import { inBatches } from './batches.ts'
import type { Space, WikiClient } from './client.ts'

type Known = { recordId: string; locator: Record<string, string> }

/**
 * Where pages are now that a listing did not show: the key of their space, or null for those that are gone, trashed,
 * deleted, archived or in a space that is not read. What cannot be asked about is left out.
 */
export async function whereabouts(
  client: WikiClient,
  asked: { documents: Known[]; spaces: Pick<Space, 'id' | 'key'>[] },
  signal: AbortSignal,
): Promise<Map<string, string | null>> {
  const prefix = `${client.site.name}/`
  const keys = new Map(asked.spaces.map(({ id, key }) => [id, key]))
  // A page and its files are several documents behind one page id.
  const ours = new Map<string, string[]>()
  for (const { recordId, locator } of asked.documents) {
    const id = locator.page_id ?? recordId.slice(prefix.length)
    if (recordId.startsWith(prefix) && /^\d+$/.test(id)) ours.set(id, [...(ours.get(id) ?? []), recordId])
  }
  const places = new Map<string, string | null>()
  await inBatches([...ours.keys()], {
    size: 250,
    smallest: 1,
    fetch: async (ids) => {
      const rows = new Map((await client.pagesById(ids, signal)).map((row) => [row.id, row]))
      for (const id of ids) {
        const row = rows.get(id)
        // A page that does not say where it is cannot be said to have left.
        if (row?.status === 'current' && row.spaceId == null) continue
        const key = row?.status === 'current' && row.spaceId != null ? keys.get(row.spaceId) : undefined
        for (const recordId of ours.get(id)!) places.set(recordId, key ?? null)
      }
      return []
    },
  })
  return places
}
