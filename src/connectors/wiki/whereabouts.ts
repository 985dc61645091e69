import { inBatches } from './batches.ts'
import type { PageKind, Place, Space, WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'
import { unlessTheJobEnds } from './directory.ts'
import { byLabels, byQuery } from './filters.ts'
import { isFile, placeOf } from './refs.ts'

type Known = { recordId: string; locator: Record<string, string> }
type Asking = { client: WikiClient; config: WikiConfig; spaces: Space[] }

/**
 * Where documents are now that a listing did not show: the key of their space, or null for those that are gone,
 * trashed, deleted or out of what the settings mean. What cannot be asked about is left out.
 */
export async function whereabouts(
  asking: Asking,
  documents: Known[],
  signal: AbortSignal,
): Promise<Map<string, string | null>> {
  const ours = documents.filter(({ recordId }) => recordId.startsWith(`${asking.client.site.name}/`))
  const standing = await Promise.all(
    ours.map(async (known) => ({ known, place: await standsOn(asking, known, signal) })),
  )
  const pages = new Map(
    standing.flatMap(({ place }) => (place && /^\d+$/.test(place.id) ? [[place.id, place]] : [])),
  )
  const keys = await keysOf(asking, [...pages.values()], signal)
  const places = new Map<string, string | null>()
  for (const { known, place } of standing) {
    if (place === null) places.set(known.recordId, null)
    const key = place ? keys.get(place.id) : undefined
    if (key !== undefined) places.set(known.recordId, key)
  }
  return places
}

/** The page that a document is, or is attached to; null where it is gone or of a kind that is not read. */
async function standsOn(
  { client, config }: Asking,
  known: Known,
  signal: AbortSignal,
): Promise<Place | null | undefined> {
  const place = placeOf(known)
  if (!isFile(known)) return place.type === 'blogpost' && !config.include_blog_posts ? null : place
  if (!config.extract_files) return null
  const found = await client.container(known.locator.attachment_id ?? '', signal).catch(unlessTheJobEnds)
  return found?.type === 'blogpost' && !config.include_blog_posts ? null : found
}

async function keysOf(
  asking: Asking,
  pages: Place[],
  signal: AbortSignal,
): Promise<Map<string, string | null>> {
  const keys = new Map<string, string | null>()
  for (const kind of ['page', 'blogpost'] as const) {
    const ids = pages.filter(({ type }) => type === kind).map(({ id }) => id)
    await inBatches(ids, {
      size: 250,
      smallest: 1,
      fetch: async (batch) => {
        for (const [id, key] of await keysOfBatch(asking, { ids: batch, kind }, signal)) keys.set(id, key)
        return []
      },
    })
  }
  return keys
}

async function keysOfBatch(
  { client, config, spaces }: Asking,
  { ids, kind }: { ids: string[]; kind: PageKind },
  signal: AbortSignal,
): Promise<Map<string, string | null>> {
  const byId = new Map(spaces.map((space) => [space.id, space]))
  const rows = (await client.pagesById(ids, kind, signal)).filter(({ status }) =>
    config.statuses.some((meant) => meant === status),
  )
  const keys = new Map<string, string | null>(ids.map((id) => [id, null]))
  // A page that does not say where it is cannot be said to have left.
  for (const { id, spaceId } of rows) if (spaceId === null) keys.delete(id)
  for (const [spaceId, inSpace] of Map.groupBy(rows, (row) => row.spaceId)) {
    const space = spaceId === null ? undefined : byId.get(spaceId)
    if (!space) continue
    const { rows: meant, undecided } = await byQuery({ client, config }, { space, rows: inSpace }, signal)
    const labels = await labelsOf({ client, config }, meant, signal)
    for (const { id } of byLabels(config, meant, labels)) keys.set(id, space.key)
    for (const id of undecided) keys.delete(id)
  }
  return keys
}

/** One by one, where labels decide at all: those who ask for this are few, and the search may lag. */
async function labelsOf(
  { client, config }: Pick<Asking, 'client' | 'config'>,
  rows: { id: string; kind: PageKind }[],
  signal: AbortSignal,
): Promise<Map<string, string[]>> {
  if (config.include_labels.length + config.exclude_labels.length === 0) return new Map()
  const read = async ({ id, kind }: { id: string; kind: PageKind }): Promise<[string, string[]]> => {
    return [id, await client.labels({ id, type: kind }, signal)]
  }
  return new Map(await Promise.all(rows.map(read)))
}
