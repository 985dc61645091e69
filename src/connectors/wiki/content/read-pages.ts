import type { Compute } from '../../../compute.ts'
import type { DocumentRef, DocumentWarning, SourceDocument } from '../../../document.ts'
import { AppError } from '../../../errors.ts'
import { macrosDropped } from '../../../report.ts'
import type { Accepts, ReadOutcome } from '../../source.ts'
import { undefinedUnlessFatal } from '../access/directory.ts'
import { fetchInBatches } from '../batches.ts'
import type { Comment, StorageBody, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { isFile, nodeOfRef, pageIdOf } from '../document-page.ts'
import { commentFingerprint, splitVersion } from '../listing/content-fingerprint.ts'
import { isNotFound, isTooLong } from '../transport/transport.ts'
import type { BodyBatches } from './body-batches.ts'
import { shownComments } from './comments.ts'
import { type ImageContext, readImages } from './images.ts'
import type { Mentions } from './mentions.ts'
import { readFile } from './read-file.ts'
import { type RenderedStorage, renderBody } from './render-page.ts'
import { htmlOf, type Rendition } from './storage/rendition.ts'

/** Far more than a page written by hand has. */
export const MAX_PAGE_BYTES = 20 * 1024 * 1024

export type PageReader = {
  config: WikiConfig
  images: ImageContext
  mentions: Mentions
  batches: BodyBatches
  /** Without it, large pages are rendered in this process. */
  compute?: Compute | undefined
}

/** Pages first, then files one by one, to bound memory. */
export async function* readPages(
  reader: PageReader,
  { refs, accepts }: { refs: DocumentRef[]; accepts: Accepts },
  signal: AbortSignal,
): AsyncGenerator<ReadOutcome> {
  const { client } = reader.images
  const unread = new Set(refs)
  try {
    const pages = refs.filter((ref) => !isFile(ref))
    while (pages.length > 0) {
      const batch = pages.splice(0, reader.batches.size())
      const commentReader = await readComments(reader, batch, signal)
      const reads = await readBatch(client, batch, signal)
      reader.batches.add(reads.flatMap((read) => ('body' in read ? [read.body.storage] : [])))
      await reader.mentions.load(bodiesOf(reads, commentReader), signal)
      for (const read of reads) {
        const outcome = 'error' in read ? read : await readPage(reader, { ...read, commentReader }, signal)
        unread.delete(read.ref)
        yield outcome
      }
    }
    for (const ref of refs.filter(isFile)) {
      const outcome = await readFile(client, { ref, accepts }, signal)
      unread.delete(ref)
      yield outcome
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // An error that ends the job applies to all other documents.
    for (const ref of unread) yield { ref, error }
  }
}

type Failed = { ref: DocumentRef; error: AppError }
type Read = { ref: DocumentRef; body: StorageBody } | Failed

/** Reads many at once; reads missing or outdated ones directly. */
async function readBatch(client: WikiClient, refs: DocumentRef[], signal: AbortSignal): Promise<Read[]> {
  const kinds = Map.groupBy(refs.map(nodeOfRef), ({ type }) => (type === 'blogpost' ? 'blogpost' : 'page'))
  const found = new Map<string, StorageBody>()
  for (const [kind, nodes] of kinds) {
    // Pages that the wiki does not return even one by one are read directly below.
    const bodies = await fetchInBatches(
      nodes.map(({ id }) => id),
      {
        size: client.bodiesPerRequest,
        minSize: 1,
        fetch: (ids) => client.bodies(ids, kind, signal),
      },
    )
    for (const body of bodies) found.set(body.id, body)
  }
  return Promise.all(
    refs.map(async (ref): Promise<Read> => {
      const body = found.get(pageIdOf(ref))
      if (body && Number(body.version) >= Number(splitVersion(ref.version).page)) return { ref, body }
      return readOne(client, ref, signal)
    }),
  )
}

async function readOne(client: WikiClient, ref: DocumentRef, signal: AbortSignal): Promise<Read> {
  try {
    return { ref, body: await client.body(nodeOfRef(ref), signal) }
  } catch (error) {
    if (!(error instanceof AppError) || error.endsJob) throw error
    if (isNotFound(error)) return { ref, error: gone(ref) }
    if (isTooLong(error)) return { ref, error: tooLarge(ref, 'more than 64 MB') }
    return { ref, error }
  }
}

/** `known` are the comments that came with the batch; null means one request per page. */
type CommentReader = { known: Map<string, Comment[]> | null; read(pageId: string): Promise<Comment[]> }

/** In one request, or page by page if that fails. */
async function readComments(
  { config, images: { client } }: PageReader,
  refs: DocumentRef[],
  signal: AbortSignal,
): Promise<CommentReader> {
  const commented = refs.filter(({ version }) => splitVersion(version).comments !== '').map(pageIdOf)
  if (!config.include_comments || commented.length === 0) return { known: new Map(), read: async () => [] }
  const comments = await client.commentsOf(commented, signal).catch(undefinedUnlessFatal)
  if (!comments) return { known: null, read: (pageId) => client.commentsOf([pageId], signal) }
  const known = Map.groupBy(comments, ({ pageId }) => pageId)
  return { known, read: async (pageId) => known.get(pageId) ?? [] }
}

/** Everything that may mention people. */
function bodiesOf(reads: Read[], { known }: CommentReader): string[] {
  const pages = reads.flatMap((read) => ('body' in read ? [read.body.storage] : []))
  const comments = [...(known?.values() ?? [])].flat()
  return [...pages, ...comments.map(({ storage }) => storage)]
}

async function readPage(
  reader: PageReader,
  { ref, body, commentReader }: { ref: DocumentRef; body: StorageBody; commentReader: CommentReader },
  signal: AbortSignal,
): Promise<ReadOutcome> {
  const { config, images } = reader
  if (!isSelected(config, body.status)) return { ref, error: gone(ref) }
  const listed = splitVersion(ref.version)
  if (body.version !== listed.page) return { ref, relist: true }
  try {
    const comments = await commentReader.read(pageIdOf(ref))
    if (commentFingerprint(comments) !== listed.comments) return { ref, relist: true }
    const storages = [body.storage, ...shownComments(comments).map(({ storage }) => storage)]
    const bytes = storages.reduce((sum, each) => sum + Buffer.byteLength(each), 0)
    if (bytes > MAX_PAGE_BYTES) return { ref, error: tooLarge(ref, `${(bytes / 1024 / 1024).toFixed(1)} MB`) }
    if (!commentReader.known) await reader.mentions.load(storages, signal)
    const { rendition, unnamed } = await renderStoredPage(reader, { ref, body, comments }, signal)
    const imageResult = config.extract_images
      ? await readImages(rendition, { ref, images }, signal)
      : NO_IMAGES
    if (imageResult === 'relist') return { ref, relist: true }
    const warnings = [...droppedWarning(rendition), ...namesWarning(unnamed), ...imageResult.warnings]
    const document: SourceDocument = {
      ref,
      version: ref.version,
      filetype: 'text/html',
      body: htmlOf(rendition.parts),
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(imageResult.incomplete || unnamed > 0 ? { incomplete: true } : {}),
    }
    return { ref, document }
  } catch (error) {
    if (!(error instanceof AppError) || error.endsJob) throw error
    return { ref, error }
  }
}

const NO_IMAGES = { warnings: [], incomplete: false }

export async function renderStoredPage(
  { images, mentions, compute }: PageReader,
  { ref, body, comments }: { ref: DocumentRef; body: StorageBody; comments: Comment[] },
  signal: AbortSignal,
): Promise<RenderedStorage> {
  const { home } = images.client.site
  const page = { pageId: pageIdOf(ref), title: ref.title, spaceKey: ref.scope, home }
  const names = mentions.namesIn([body.storage, ...comments.map(({ storage }) => storage)])
  return renderBody({ storage: body.storage, page, comments, names }, compute, signal)
}

function namesWarning(count: number): DocumentWarning[] {
  if (count === 0) return []
  const message = 'The name of a mentioned person could not be looked up. The next run tries again'
  return [{ code: 'names_missing', count, message }]
}

function droppedWarning({ dropped }: Rendition): DocumentWarning[] {
  if (dropped.size === 0) return []
  const names = [...dropped].toSorted()
  return [{ code: 'macros_dropped', count: names.length, message: macrosDropped(names), names }]
}

function isSelected({ statuses }: WikiConfig, status: string): boolean {
  return statuses.some((selected) => selected === status)
}

function gone(ref: DocumentRef): AppError {
  return new AppError('document_gone', `reading page ${pageIdOf(ref)}: it is no longer in the wiki`)
}

export function tooLarge(ref: DocumentRef, size: string): AppError {
  const message = `reading page ${pageIdOf(ref)}: it has ${size}; the maximum is 20 MB`
  return new AppError('document_too_large', message, { fix: 'Split the page, or leave it out' })
}
