import type { Compute } from '../../../compute.ts'
import type { DocumentRef } from '../../../document.ts'
import type { ListingPage } from '../../source.ts'
import type { DecisionStore } from '../../type.ts'
import { type AccessContext, createAccessContext } from '../access/access-context.ts'
import { type AccessLoader, createAccessLoader, type SpaceAccess } from '../access/page-access.ts'
import type { FileInfo, PageInfo, Space, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { positionOf } from '../ids.ts'
import { createFingerprints, type Fingerprints } from './content-fingerprint.ts'
import { createEmbeddedFiles, type EmbeddedFiles } from './embedded-files.ts'
import {
  createQueryFilter,
  type FilteredPages,
  filterByLabels,
  filterByQuery,
  hasLabelFilters,
} from './filters.ts'
import { pagesInOrder } from './pages-in-order.ts'
import { fileRef, pageRef } from './refs.ts'
import { createSpaceWarnings } from './space-warnings.ts'

export type ListingRun = AccessContext & {
  config: WikiConfig
  batchSize: number
  /** Null if all files of a page count. */
  embeddedIn: ((space: Space) => EmbeddedFiles) | null
  permissionsOnly: boolean
}

/** Two responses of the wiki. A larger batch saves few requests, and several batches are in memory at a time. */
const PAGES_PER_BATCH = 500
const REFS_PER_PAGE = 250

/** `batchSize` is set by tests. */
export type ListedWiki = {
  client: WikiClient
  config: WikiConfig
  store?: DecisionStore | undefined
  batchSize?: number | undefined
  compute?: Compute | undefined
  permissionsOnly?: boolean | undefined
}

export function createListingRun(
  { batchSize = PAGES_PER_BATCH, ...wiki }: ListedWiki,
  signal: AbortSignal,
): ListingRun {
  const { config } = wiki
  const files = config.extract_files || config.extract_images
  const isEmbedded = config.extract_files && config.files === 'embedded'
  const embeddedIn = isEmbedded ? (space: Space) => createEmbeddedFiles(wiki, space) : null
  const permissionsOnly = wiki.permissionsOnly ?? false
  return {
    ...createAccessContext({ ...wiki, files }, signal),
    config,
    batchSize,
    embeddedIn,
    permissionsOnly,
  }
}

/** `after`: pages up to this position are not listed, because an earlier listing has them. */
type SpaceListing = { space: Space; after?: string | undefined }

/**
 * Lists a space batch by batch; of earlier batches only the tree is kept. All refs have the time when the listing of
 * the space began, because later batches use permissions that the first ones have read.
 */
export async function* listSpace(
  run: ListingRun,
  { space, after = '' }: SpaceListing,
  signal: AbortSignal,
): AsyncGenerator<ListingPage[]> {
  const { config } = run
  const asOf = run.containers.asOf()
  const loader = createAccessLoader(run, space, signal)
  const warnings = createSpaceWarnings(space, config)
  const embedded = run.embeddedIn?.(space) ?? null
  let fingerprintOf: Fingerprints | undefined
  let room = config.max_num_of_docs_from_each_space
  let last: PageInfo | undefined
  let isCut = false
  for await (const { skipped, matching, isLast } of batchesOf(run, { space, after }, signal)) {
    loader.skip(skipped)
    fingerprintOf ??= await createFingerprints(run, { space }, signal)
    const { selected, access, toRefs } = await loadRefs(
      run,
      { space, loader, matching, fingerprintOf, embedded },
      signal,
    )
    const rows = selected.slice(0, room - skipped.length)
    const refs: DocumentRef[] = []
    for (const row of rows) {
      if (positionOf(row.id) <= after) continue
      const created = toRefs(row)
      warnings.add(row, created, access)
      refs.push(...created)
    }
    warnings.addUnlisted(access)
    if (refs.length > 0) yield refPages({ scope: space.key, refs, asOf })
    room -= skipped.length + rows.length
    last = rows.at(-1) ?? skipped.at(-1) ?? last
    isCut = isLast || rows.length < selected.length
    if (isCut) break
  }
  const isWhole = after === '' && !isCut
  await loader.save({ isWhole })
  await embedded?.save({ isWhole })
  const ended: ListingPage = {
    kind: 'end',
    scope: space.key,
    ...(isCut && last ? { upTo: positionOf(last.id) } : {}),
  }
  const cut = isCut ? { leftOut: await countLeftOut(run, space, signal) } : null
  yield [...warnings.all(cut).map((warning): ListingPage => ({ kind: 'warning', warning })), ended]
}

/** Null if the wiki cannot count what the settings select. */
async function countLeftOut(
  { client, config }: ListingRun,
  space: Space,
  signal: AbortSignal,
): Promise<number | null> {
  const { include_blog_posts: hasPosts, statuses, cql } = config
  const isOnlyCurrent = statuses.length === 1 && statuses[0] === 'current'
  if (hasPosts || !isOnlyCurrent || cql !== undefined || hasLabelFilters(config)) return null
  // The count is only shown, so it may not fail the listing.
  const pages = await client.pageCount(space, signal).catch(() => null)
  signal.throwIfAborted()
  const leftOut = (pages ?? 0) - config.max_num_of_docs_from_each_space
  return leftOut > 0 ? leftOut : null
}

/** A page and its files have one position and are never separated. */
function refPages({ scope, refs, asOf }: { scope: string; refs: DocumentRef[]; asOf: Date }): ListingPage[] {
  const pages: ListingPage[] = []
  for (let at = 0; at < refs.length; ) {
    let end = Math.min(at + REFS_PER_PAGE, refs.length)
    while (refs[end]?.position === refs[end - 1]?.position) end++
    pages.push({ kind: 'refs', scope, refs: refs.slice(at, end), asOf })
    at = end
  }
  return pages
}

/** `skipped` need not be loaded; `isLast` if the limit leaves out the pages after this batch. */
type Batch = { skipped: PageInfo[]; matching: FilteredPages; isLast: boolean }

/** Pages that match the query, as many at a time as are loaded together. */
async function* batchesOf(
  { client, config, batchSize }: ListingRun,
  { space, after }: { space: Space; after: string },
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  // Labels are known only after loading, and decide which pages count for the limit.
  const byLabels = hasLabelFilters(config)
  const maxPages = byLabels ? Number.POSITIVE_INFINITY : config.max_num_of_docs_from_each_space
  const wanted = config.cql === undefined ? maxPages + 1 : Number.POSITIVE_INFINITY
  const filter = await createQueryFilter({ client, config }, { space }, signal)
  const rows: PageInfo[] = []
  let count = 0
  const next = (isLast: boolean): Batch => {
    const batch = rows.splice(0)
    const isSkipped = ({ id }: PageInfo) => !byLabels && positionOf(id) <= after
    const matching = filterByQuery(
      filter,
      batch.filter((row) => !isSkipped(row)),
    )
    return { skipped: batch.filter(isSkipped), matching, isLast }
  }
  for await (const row of pagesInOrder({ client, config, space }, wanted, signal)) {
    if (filter(row.id) === 'dropped') continue
    if (count === maxPages) return yield next(true)
    if (rows.length === batchSize) yield next(false)
    rows.push(row)
    count++
  }
  if (rows.length > 0) yield next(false)
}

export type LoadedRefs = {
  /** The pages that the settings select. */
  selected: PageInfo[]
  access: SpaceAccess
  /** The refs of a page and of its files. */
  toRefs(row: PageInfo): DocumentRef[]
}

export type RefsInput = {
  space: Space
  loader: AccessLoader
  matching: FilteredPages
  fingerprintOf: Fingerprints
  embedded: EmbeddedFiles | null
}

/** Reads everything that the refs of a batch need, and filters by labels. */
export async function loadRefs(
  { client, config, permissionsOnly }: ListingRun,
  { space, loader, matching, fingerprintOf, embedded }: RefsInput,
  signal: AbortSignal,
): Promise<LoadedRefs> {
  const access = await loader.load(matching.rows)
  const { rows: selected, undecided } = filterByLabels(config, matching, access.metadata)
  const { metadata } = access
  const unread = (await embedded?.load(selected, signal)) ?? new Set()
  if (!permissionsOnly) metadata.unlistedFiles.push(...[...unread].filter((id) => metadata.files.has(id)))
  const filesOf = (row: PageInfo, page: DocumentRef, files: FileInfo[]): DocumentRef[] =>
    files.flatMap((file) => {
      const ref = fileRef(page, file, client.site)
      if (!embedded || embedded.isEmbedded(row, file)) return [ref]
      // Without the body nothing says that the file is not part of the page.
      return unread.has(row.id) ? [{ ...ref, undecided: true as const }] : []
    })
  const toRefs = (row: PageInfo): DocumentRef[] => {
    const files = metadata.files.get(row.id) ?? []
    const fingerprint = fingerprintOf(row.id, files)
    const page = {
      ...pageRef({ site: client.site, space, row, fingerprint, ...access }),
      ...(undecided.has(row.id) ? { undecided: true as const } : {}),
    }
    return [page, ...(config.extract_files ? filesOf(row, page, files) : [])]
  }
  return { selected, access, toRefs }
}
