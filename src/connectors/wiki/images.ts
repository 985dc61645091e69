import type { DocumentRef, DocumentWarning } from '../../document.ts'
import { AppError } from '../../errors.ts'
import { imageType } from '../../filetype.ts'
import type { Egress } from '../egress.ts'
import type { Borrowing } from './borrowing.ts'
import type { FileInfo, Place, Stored, WikiClient } from './client.ts'
import { type ImagePlace, placeOfImage } from './image-places.ts'
import { type ImageTag, imagesIn, replaceImages } from './image-tags.ts'
import { pageIdOf, placeOf } from './refs.ts'
import { partsOf, pictureStamp } from './stamps.ts'
import { downloadStranger } from './transport/strangers.ts'
import type { Downloaded } from './transport/transport.ts'

/** Of one picture: what an index still takes as one field, at four characters for three bytes. */
const MOST_BYTES = 1_500_000
/** Of one page: pictures are held in memory together with it. */
const MOST_BYTES_OF_PAGE = 16_000_000
const MOST_IMAGES = 200
const AT_ONCE = 4

export type Gallery = { client: WikiClient; egress: Egress; mayBorrow: Borrowing }

/** `revisit`: something of it may be otherwise the next time, although the page has not changed. */
export type Pictured = { html: string; warnings: DocumentWarning[]; revisit: boolean }

/**
 * A page with its pictures inside it, as Base64 with the type that they really have. One that cannot be had leaves
 * the page as it is, and is counted. Where a picture of its own is newer than the listing, so may its rights be.
 */
export async function withImages(
  html: string,
  { ref, gallery }: { ref: DocumentRef; gallery: Gallery },
  signal: AbortSignal,
): Promise<Pictured | 'again'> {
  const { tags, more } = imagesIn(html, MOST_TAGS)
  const placed = tags
    .map((tag) => ({ tag, place: placeOfImage(tag, gallery.client.site) }))
    .filter(({ place }) => place.kind !== 'none')
  const taken = placed.slice(0, MOST_IMAGES)
  const page = new Page({ ref, gallery }, signal)
  if (taken.some(({ place }) => page.owns(place)) && !(await page.isAsListed())) return 'again'
  for (let i = 0; i < taken.length; i += AT_ONCE)
    await Promise.all(taken.slice(i, i + AT_ONCE).map(({ tag, place }) => page.fetch(tag, place)))

  const tooMany = placed.length - taken.length + more
  if (tooMany > 0) page.missing.push(`a page may have ${MOST_IMAGES} pictures`)
  const [message] = page.missing.toSorted()
  const count = page.missing.length + Math.max(0, tooMany - 1)
  const warnings = message ? [{ code: 'images_missing', count, message }] : []
  return { html: replaceImages(html, page.sources), warnings, revisit: page.revisit }
}

/** Tags that are looked at in all, emoji and decorations included; a page of nothing but tags has millions. */
const MOST_TAGS = 5_000

/** The pictures of one page while they are gathered. */
class Page {
  readonly sources = new Map<ImageTag, string>()
  readonly missing: string[] = []
  revisit = false
  readonly #ref: DocumentRef
  readonly #gallery: Gallery
  readonly #signal: AbortSignal
  readonly #files = new Map<string, Promise<FileInfo[]>>()
  #bytes = 0

  constructor({ ref, gallery }: { ref: DocumentRef; gallery: Gallery }, signal: AbortSignal) {
    this.#ref = ref
    this.#gallery = gallery
    this.#signal = signal
  }

  owns(place: ImagePlace): boolean {
    return place.kind === 'stored' && place.stored.pageId === pageIdOf(this.#ref)
  }

  async isAsListed(): Promise<boolean> {
    const files = await this.#filesOf(placeOf(this.#ref))
    return pictureStamp(files) === partsOf(this.#ref.version).pictures
  }

  async fetch(tag: ImageTag, place: ImagePlace): Promise<void> {
    const isStored = place.kind === 'stored'
    // A picture of another page: its rights may change without this page noticing.
    if (isStored && !this.owns(place)) this.revisit = true
    try {
      const { bytes, type } = await this.#picture(place)
      this.#bytes += bytes.length
      if (this.#bytes > MOST_BYTES_OF_PAGE) throw tooMuch('the pictures of a page may have 16 MB together')
      this.sources.set(tag, `data:${type};base64,${Buffer.from(bytes).toString('base64')}`)
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!(error instanceof AppError) || error.code === 'source_unauthorized') throw error
      this.missing.push(error.message)
      // What broke may be mended by the next time, and so may the rights of the account in its own wiki.
      if (error.retryable || (isStored && error.code === 'source_forbidden')) this.revisit = true
    }
  }

  async #picture(place: ImagePlace): Promise<{ bytes: Uint8Array; type: string }> {
    const doing = `reading a picture of page ${pageIdOf(this.#ref)}`
    const picture = await this.#download(place, doing)
    const type = await imageType(picture.bytes)
    if (!type) throw new AppError('document_unsupported', `${doing}: it is not a picture`)
    return { bytes: picture.bytes, type }
  }

  async #download(place: ImagePlace, doing: string): Promise<Downloaded> {
    const { client, egress } = this.#gallery
    if (place.kind === 'elsewhere') {
      const what = { doing: `${doing} from ${place.url.host}`, url: place.url, maxBytes: MOST_BYTES }
      return downloadStranger(egress, what, this.#signal)
    }
    if (place.kind !== 'stored')
      throw new AppError('source_not_found', `${doing}: its address is not one of a stored file`)
    const file = await this.#file(place.stored, doing)
    const wanted = { ...file, pageId: place.stored.pageId }
    const got = await client.download(wanted, { maxBytes: MOST_BYTES }, this.#signal)
    if (!got) throw new AppError('source_misread', `${doing}: it was replaced meanwhile`)
    return got
  }

  /** The file among those of its page: what a page says of a file's place is its author's word. */
  async #file({ pageId, fileId, name }: Stored, doing: string): Promise<FileInfo> {
    const isOwn = pageId === pageIdOf(this.#ref)
    const place = isOwn ? placeOf(this.#ref) : await this.#gallery.mayBorrow(this.#ref, pageId, this.#signal)
    if (!place) {
      const told = `${doing}: it belongs to page ${pageId}, which not everybody may see who sees this one`
      throw new AppError('source_forbidden', told)
    }
    const files = await this.#filesOf(place)
    const file =
      files.find(({ id }) => fileId !== null && id.replace(/^att/, '') === fileId) ??
      files.find(({ title }) => title === name)
    if (!file) throw new AppError('source_not_found', `${doing}: page ${pageId} has no such file`)
    return file
  }

  #filesOf(place: Place): Promise<FileInfo[]> {
    const known = this.#files.get(place.id) ?? this.#gallery.client.files(place, this.#signal)
    this.#files.set(place.id, known)
    return known
  }
}

function tooMuch(why: string): AppError {
  return new AppError('document_too_large', why)
}
