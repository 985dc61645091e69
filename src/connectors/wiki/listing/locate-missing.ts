import type { DocumentLocation } from '../../connector.ts'
import { undefinedUnlessFatal } from '../access/directory.ts'
import type { NodeRef } from '../access/tree.ts'
import { inBatches } from '../batches.ts'
import type { PageInfo, PageKind, Space, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { positionOf } from '../ids.ts'
import { byLabels, byQuery, type Labelled } from './filters.ts'
import { isFile, nodeOfRef } from './refs.ts'

type KnownDocument = { recordId: string; locator: Record<string, string> }
type LocateContext = { client: WikiClient; config: WikiConfig; spaces: Space[] }

/** Null for documents that are gone or no longer selected. Leaves out other sites' documents. */
export async function locateMissing(
  context: LocateContext,
  documents: KnownDocument[],
  signal: AbortSignal,
): Promise<Map<string, DocumentLocation>> {
  const ours = documents.filter(({ recordId }) => recordId.startsWith(`${context.client.site.name}/`))
  const located = await Promise.all(
    ours.map(async (document) => ({ document, place: await pageOfDocument(context, document, signal) })),
  )
  const pages = new Map(located.flatMap(({ place }) => (place && isPage(place) ? [[place.id, place]] : [])))
  const places = await placesOf(context, [...pages.values()], signal)
  const whereIs = (place: NodeRef | null | undefined): DocumentLocation => {
    if (place === null) return null
    const found = place && places.get(place.id)
    return found === undefined ? 'unknown' : found
  }
  return new Map(located.map(({ document, place }) => [document.recordId, whereIs(place)]))
}

function isPage({ id }: NodeRef): boolean {
  return /^\d+$/.test(id)
}

/** The document's page; null if gone or not selected. */
async function pageOfDocument(
  { client, config }: LocateContext,
  document: KnownDocument,
  signal: AbortSignal,
): Promise<NodeRef | null | undefined> {
  const place = nodeOfRef(document)
  if (!isFile(document)) return place.type === 'blogpost' && !config.include_blog_posts ? null : place
  if (!config.extract_files) return null
  const found = await client
    .container(document.locator.attachment_id ?? '', signal)
    .catch(undefinedUnlessFatal)
  return found?.type === 'blogpost' && !config.include_blog_posts ? null : found
}

async function placesOf(
  context: LocateContext,
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
        for (const [id, place] of await placesOfBatch(context, { ids: batch, kind }, signal))
          places.set(id, place)
        return []
      },
    })
  }
  return places
}

async function placesOfBatch(
  { client, config, spaces }: LocateContext,
  { ids, kind }: { ids: string[]; kind: PageKind },
  signal: AbortSignal,
): Promise<Map<string, DocumentLocation>> {
  const byId = new Map(spaces.map((space) => [space.id, space]))
  const rows = (await client.pagesById(ids, kind, signal)).filter(({ status }) =>
    config.statuses.some((selected) => selected === status),
  )
  const places = new Map<string, DocumentLocation>(ids.map((id) => [id, null]))
  // A page without a space id may still exist.
  for (const { id, spaceId } of rows) if (spaceId === null) places.set(id, 'unknown')
  for (const [spaceId, inSpace] of Map.groupBy(rows, (row) => row.spaceId)) {
    const space = spaceId === null ? undefined : byId.get(spaceId)
    if (!space) continue
    const queried = await byQuery({ client, config }, { space, rows: inSpace }, signal)
    const labelled = await labelsOf({ client, config }, queried.rows, signal)
    const selected = byLabels(config, queried, labelled)
    for (const { id } of selected.rows) places.set(id, { scope: space.key, position: positionOf(id) })
    for (const id of selected.undecided) places.set(id, 'unknown')
  }
  return places
}

/** One by one: they are few, and the search may lag. */
async function labelsOf(
  { client, config }: Pick<LocateContext, 'client' | 'config'>,
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
