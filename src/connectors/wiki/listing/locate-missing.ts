import { otherSiteError } from '../../own-site.ts'
import type { DocumentLocation, KnownDocument } from '../../source.ts'
import { undefinedUnlessFatal } from '../access/directory.ts'
import type { NodeRef } from '../access/tree.ts'
import { fetchInBatches } from '../batches.ts'
import type { PageInfo, PageKind, Space } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { isFile, nodeOfRef } from '../document-page.ts'
import { positionOf } from '../ids.ts'
import { createEmbeddedFiles, type EmbeddedContext } from './embedded-files.ts'
import { createQueryFilter, filterByLabels, filterByQuery, type PageLabels } from './filters.ts'

type LocateContext = EmbeddedContext & { config: WikiConfig; spaces: Space[] }

/** Null for documents that are gone or no longer selected. Leaves out other sites' documents. */
export async function locateMissing(
  context: LocateContext,
  documents: KnownDocument[],
  signal: AbortSignal,
): Promise<Map<string, DocumentLocation>> {
  const ours = documents.filter((document) => !otherSiteError(document, context.client.site.name))
  const located = await Promise.all(
    ours.map(async (document) => ({ document, page: await pageOfDocument(context, document, signal) })),
  )
  const pages = new Map(located.flatMap(({ page }) => (page && isPage(page) ? [[page.id, page]] : [])))
  const locations = await locationsOf(context, [...pages.values()], signal)
  const locationOf = (page: NodeRef | null | undefined): DocumentLocation => {
    if (page === null) return null
    const found = page && locations.get(page.id)
    return found === undefined ? 'unknown' : found
  }
  const found = new Map(located.map(({ document, page }) => [document.recordId, locationOf(page)]))
  if (context.config.files === 'embedded') await locateEmbedded(context, { located, found }, signal)
  return found
}

type Located = { document: KnownDocument; page: NodeRef | null | undefined }

/** Corrects the locations of files whose page is read: null if no body shows or links to them. */
async function locateEmbedded(
  context: LocateContext,
  { located, found }: { located: Located[]; found: Map<string, DocumentLocation> },
  signal: AbortSignal,
): Promise<void> {
  const files = located.flatMap(({ document, page }) => {
    const location = found.get(document.recordId)
    const space = typeof location === 'object' && context.spaces.find(({ key }) => key === location?.scope)
    return isFile(document) && page && space ? [{ document, page, space }] : []
  })
  for (const [space, inSpace] of Map.groupBy(files, (file) => file.space)) {
    const embedded = createEmbeddedFiles(context, space)
    const rows = await rowsOf(
      context,
      inSpace.map(({ page }) => page),
      signal,
    )
    const unread = await embedded.load([...rows.values()], signal)
    for (const [pageId, ofPage] of Map.groupBy(inSpace, ({ page }) => page.id)) {
      const row = rows.get(pageId)
      const listed = await context.client.files(ofPage[0]!.page, signal).catch(undefinedUnlessFatal)
      for (const { document } of ofPage) {
        const file = listed?.find(({ id }) => id === document.locator.attachment_id)
        if (!row || !listed || unread.has(pageId)) found.set(document.recordId, 'unknown')
        else if (!file || !embedded.isEmbedded(row, file)) found.set(document.recordId, null)
      }
    }
  }
}

async function rowsOf(
  { client }: LocateContext,
  pages: NodeRef[],
  signal: AbortSignal,
): Promise<Map<string, PageInfo>> {
  const rows = new Map<string, PageInfo>()
  for (const kind of ['page', 'blogpost'] as const) {
    const ids = new Set(pages.filter(({ type }) => type === kind).map(({ id }) => id))
    const fetch = (batch: string[]) => client.pagesById(batch, kind, signal)
    for (const row of await fetchInBatches([...ids], { size: 250, minSize: 1, fetch })) rows.set(row.id, row)
  }
  return rows
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
  const page = nodeOfRef(document)
  if (!isFile(document)) return page.type === 'blogpost' && !config.include_blog_posts ? null : page
  if (!config.extract_files) return null
  const found = await client
    .container(document.locator.attachment_id ?? '', signal)
    .catch(undefinedUnlessFatal)
  return found?.type === 'blogpost' && !config.include_blog_posts ? null : found
}

async function locationsOf(
  context: LocateContext,
  pages: NodeRef[],
  signal: AbortSignal,
): Promise<Map<string, DocumentLocation>> {
  const locations = new Map<string, DocumentLocation>()
  for (const kind of ['page', 'blogpost'] as const) {
    const ids = pages.filter(({ type }) => type === kind).map(({ id }) => id)
    await fetchInBatches(ids, {
      size: 250,
      minSize: 1,
      fetch: async (batch) => {
        for (const [id, location] of await locationsOfBatch(context, { ids: batch, kind }, signal))
          locations.set(id, location)
        return []
      },
    })
  }
  return locations
}

async function locationsOfBatch(
  { client, config, spaces }: LocateContext,
  { ids: wanted, kind }: { ids: string[]; kind: PageKind },
  signal: AbortSignal,
): Promise<Map<string, DocumentLocation>> {
  const byId = new Map(spaces.map((space) => [space.id, space]))
  const rows = (await client.pagesById(wanted, kind, signal)).filter(({ status }) =>
    config.statuses.some((selected) => selected === status),
  )
  const locations = new Map<string, DocumentLocation>(wanted.map((id) => [id, null]))
  // A page without a space id may still exist.
  for (const { id, spaceId } of rows) if (spaceId === null) locations.set(id, 'unknown')
  for (const [spaceId, inSpace] of Map.groupBy(rows, (row) => row.spaceId)) {
    const space = spaceId === null ? undefined : byId.get(spaceId)
    if (!space) continue
    const ids = inSpace.map(({ id }) => id)
    const filter = await createQueryFilter({ client, config }, { space, ids }, signal)
    const queried = filterByQuery(filter, inSpace)
    const labelled = await labelsOf({ client, config }, queried.rows, signal)
    const selected = filterByLabels(config, queried, labelled)
    for (const { id } of selected.rows) locations.set(id, { scope: space.key, position: positionOf(id) })
    for (const id of selected.undecided) locations.set(id, 'unknown')
  }
  return locations
}

/** One by one: they are few, and the search may lag. */
async function labelsOf(
  { client, config }: Pick<LocateContext, 'client' | 'config'>,
  rows: PageInfo[],
  signal: AbortSignal,
): Promise<PageLabels> {
  const labels = new Map<string, string[]>()
  const unreadableLabels = new Set<string>()
  if (config.include_labels.length + config.exclude_labels.length === 0) return { labels, unreadableLabels }
  await Promise.all(
    rows.map(async ({ id, kind }) => {
      const own = await client.labels({ id, type: kind }, signal).catch(undefinedUnlessFatal)
      if (own) labels.set(id, own)
      else unreadableLabels.add(id)
    }),
  )
  return { labels, unreadableLabels }
}
