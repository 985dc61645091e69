import type { DocumentLocation } from '../../connector.ts'
import { undefinedUnlessFatal } from '../access/directory.ts'
import { inBatches } from '../batches.ts'
import type { NodeRef, PageInfo, PageKind, Space, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { positionOf } from '../ids.ts'
import { byLabels, byQuery, type Labelled } from './filters.ts'
import { isFile, nodeOfRef } from './refs.ts'

type Known = { recordId: string; locator: Record<string, string> }
type Asking = { client: WikiClient; config: WikiConfig; spaces: Space[] }

/**
 * Where documents are now that a listing did not show; null for those that are gone, trashed, deleted or out of what
 * the settings mean. What is not of this wiki is left out.
 */
export async function locateMissing(
  asking: Asking,
  documents: Known[],
  signal: AbortSignal,
): Promise<Map<string, DocumentLocation>> {
  const ours = documents.filter(({ recordId }) => recordId.startsWith(`${asking.client.site.name}/`))
  const standing = await Promise.all(
    ours.map(async (known) => ({ known, place: await standsOn(asking, known, signal) })),
  )
  const pages = new Map(standing.flatMap(({ place }) => (place && isPage(place) ? [[place.id, place]] : [])))
  const places = await placesOf(asking, [...pages.values()], signal)
  const whereIs = (place: NodeRef | null | undefined): DocumentLocation => {
    if (place === null) return null
    const found = place && places.get(place.id)
    return found === undefined ? 'unknown' : found
  }
  return new Map(standing.map(({ known, place }) => [known.recordId, whereIs(place)]))
}

function isPage({ id }: NodeRef): boolean {
  return /^\d+$/.test(id)
}

/** The page that a document is, or is attached to; null where it is gone or of a kind that is not read. */
async function standsOn(
  { client, config }: Asking,
  known: Known,
  signal: AbortSignal,
): Promise<NodeRef | null | undefined> {
  const place = nodeOfRef(known)
  if (!isFile(known)) return place.type === 'blogpost' && !config.include_blog_posts ? null : place
  if (!config.extract_files) return null
  const found = await client.container(known.locator.attachment_id ?? '', signal).catch(undefinedUnlessFatal)
  return found?.type === 'blogpost' && !config.include_blog_posts ? null : found
}

async function placesOf(
  asking: Asking,
  pages: NodeRef[],
  signal: AbortSignal,
): Promise<Map<string, DocumentLocation>> {
  const places = new Map<string, DocumentLocation>()
  for (const kind of ['page', 'blogpost'] as const) {
    const ids = pages.filter(({ type }) => type === kind).map(({ id }) => id)
    await inBatches(ids, {
      size: 250,
      smallest: 1,
      fetch: async (batch) => {
        for (const [id, place] of await placesOfBatch(asking, { ids: batch, kind }, signal))
          places.set(id, place)
        return []
      },
    })
  }
  return places
}

async function placesOfBatch(
  { client, config, spaces }: Asking,
  { ids, kind }: { ids: string[]; kind: PageKind },
  signal: AbortSignal,
): Promise<Map<string, DocumentLocation>> {
  const byId = new Map(spaces.map((space) => [space.id, space]))
  const rows = (await client.pagesById(ids, kind, signal)).filter(({ status }) =>
    config.statuses.some((meant) => meant === status),
  )
  const places = new Map<string, DocumentLocation>(ids.map((id) => [id, null]))
  // A page that does not say where it is cannot be said to have left.
  for (const { id, spaceId } of rows) if (spaceId === null) places.set(id, 'unknown')
  for (const [spaceId, inSpace] of Map.groupBy(rows, (row) => row.spaceId)) {
    const space = spaceId === null ? undefined : byId.get(spaceId)
    if (!space) continue
    const queried = await byQuery({ client, config }, { space, rows: inSpace }, signal)
    const labelled = await labelsOf({ client, config }, queried.rows, signal)
    const meant = byLabels(config, queried, labelled)
    for (const { id } of meant.rows) places.set(id, { scope: space.key, position: positionOf(id) })
    for (const id of meant.undecided) places.set(id, 'unknown')
  }
  return places
}

/** One by one, where labels decide at all: those who ask for this are few, and the search may lag. */
async function labelsOf(
  { client, config }: Pick<Asking, 'client' | 'config'>,
  rows: PageInfo[],
  signal: AbortSignal,
): Promise<Labelled> {
  const labels = new Map<string, string[]>()
  const unlabelled = new Set<string>()
  if (config.include_labels.length + config.exclude_labels.length === 0) return { labels, unlabelled }
  await Promise.all(
    rows.map(async ({ id, kind }) => {
      const own = await client.labels({ id, type: kind }, signal).catch(undefinedUnlessFatal)
      if (own) labels.set(id, own)
      else unlabelled.add(id)
    }),
  )
  return { labels, unlabelled }
}
