import type { DocumentRef } from '../../../document.ts'
import { otherSiteError } from '../../own-site.ts'
import type { KnownDocument } from '../../source.ts'
import { undefinedUnlessFatal } from '../access/directory.ts'
import { createAccessLoader } from '../access/page-access.ts'
import type { NodeRef } from '../access/tree.ts'
import { fetchInBatches } from '../batches.ts'
import type { PageInfo, PageKind, Space } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { isFile, nodeOfRef } from '../document-page.ts'
import { byId } from '../ids.ts'
import { createFingerprints } from './content-fingerprint.ts'
import { createQueryFilter, filterByQuery } from './filters.ts'
import {
  createListingRun,
  type ListedWiki,
  type ListingRun,
  type LoadedRefs,
  loadRefs,
  type RefsInput,
} from './list-space.ts'
import { selectSpaces } from './spaces.ts'

const BATCH_SIZE = 250

/** The documents as a listing would show them now, without listing their spaces. Limits on numbers do not apply. */
export async function relistPages(
  wiki: ListedWiki,
  documents: KnownDocument[],
  signal: AbortSignal,
): Promise<{ refs: DocumentRef[]; asOf: Date }> {
  const { client, config } = wiki
  const asOf = new Date()
  const ours = documents.filter((document) => !otherSiteError(document, client.site.name))
  if (ours.length === 0) return { refs: [], asOf }
  const { spaces } = await selectSpaces(client, config, signal)
  const context: RelistContext = { ...createListingRun(wiki, signal), spaces }
  const pages = ours.map(nodeOfRef)
  const refs = await refsOf(context, pages, signal)
  const known = new Set(pages.map(({ id }) => id))
  const moved = (await newPagesOf(context, ours.filter(isMissingFile), signal)).filter(
    ({ id }) => !known.has(id),
  )
  for (const [recordId, ref] of await refsOf(context, moved, signal)) refs.set(recordId, ref)
  const wanted = new Set(ours.map(({ recordId }) => recordId))
  return { refs: [...wanted].flatMap((recordId) => refs.get(recordId) ?? []), asOf }

  function isMissingFile(document: KnownDocument): boolean {
    return config.extract_files && isFile(document) && !refs.has(document.recordId)
  }
}

type RelistContext = ListingRun & { spaces: Space[] }

/** The pages of files that are no longer attached to the page they were listed with. */
async function newPagesOf(
  { client }: RelistContext,
  files: KnownDocument[],
  signal: AbortSignal,
): Promise<NodeRef[]> {
  const pages = files.map(({ locator }) =>
    client.container(locator.attachment_id ?? '', signal).catch(undefinedUnlessFatal),
  )
  return (await Promise.all(pages)).filter((page) => page != null)
}

/** The refs of pages and of their files, by record id. */
async function refsOf(
  context: RelistContext,
  pages: NodeRef[],
  signal: AbortSignal,
): Promise<Map<string, DocumentRef>> {
  const rows = await selectedRows(context, pages, signal)
  const refs = new Map<string, DocumentRef>()
  const spaces = new Map(context.spaces.map((space) => [space.id, space]))
  for (const [spaceId, inSpace] of Map.groupBy(rows, (row) => row.spaceId)) {
    const space = spaces.get(spaceId ?? '')
    if (!space) continue
    const loader = createAccessLoader(context, space, signal)
    const embedded = context.embeddedIn?.(space) ?? null
    for (let i = 0; i < inSpace.length; i += BATCH_SIZE) {
      const part = { space, loader, embedded, rows: inSpace.slice(i, i + BATCH_SIZE) }
      // As in a listing, a space that cannot be read stops no other.
      const loaded = await loadPart(context, part, signal).catch(undefinedUnlessFatal)
      for (const row of loaded?.selected ?? [])
        for (const ref of loaded?.toRefs(row) ?? []) refs.set(ref.recordId, ref)
    }
  }
  return refs
}

async function loadPart(
  context: RelistContext,
  { rows, ...part }: Pick<RefsInput, 'space' | 'loader' | 'embedded'> & { rows: PageInfo[] },
  signal: AbortSignal,
): Promise<LoadedRefs> {
  const { space } = part
  const ids = rows.map(({ id }) => id)
  const matching = filterByQuery(await createQueryFilter(context, { space, ids }, signal), rows)
  const matchingIds = matching.rows.map(({ id }) => id)
  const fingerprintOf = await createFingerprints(context, { space, ids: matchingIds }, signal)
  return loadRefs(context, { ...part, matching, fingerprintOf }, signal)
}

/** The pages with a selected kind and status, by id. */
async function selectedRows(
  { client, config }: RelistContext,
  pages: NodeRef[],
  signal: AbortSignal,
): Promise<PageInfo[]> {
  const kinds: PageKind[] = config.include_blog_posts ? ['page', 'blogpost'] : ['page']
  const rows = kinds.map((kind) => {
    const ids = pages.filter(({ id, type }) => type === kind && /^\d+$/.test(id)).map(({ id }) => id)
    return fetchInBatches([...new Set(ids)], {
      size: BATCH_SIZE,
      minSize: 1,
      fetch: (batch) => client.knownPages(batch, kind, signal),
    })
  })
  return (await Promise.all(rows))
    .flat()
    .filter(({ kind, status }) => isSelected(config, kind, status))
    .sort(byId)
}

/** Blog posts cannot be archived. */
function isSelected({ statuses }: WikiConfig, kind: PageKind, status: string): boolean {
  return statuses.some((each) => each === status) && (kind === 'page' || status === 'current')
}
