import type { DocumentRef, DocumentWarning } from '../../../document.ts'
import { AppError } from '../../../errors.ts'
import { imageType } from '../../../filetype/filetype.ts'
import type { Egress } from '../../egress/egress.ts'
import { undefinedUnlessFatal } from '../access/directory.ts'
import type { FileInfo, WikiClient } from '../client.ts'
import { imageFingerprint, splitVersion } from '../listing/content-fingerprint.ts'
import { nodeOfRef, pageIdOf } from '../listing/refs.ts'
import type { Downloaded } from '../transport/download.ts'
import { downloadExternal } from '../transport/external-download.ts'
import { isTooLong } from '../transport/transport.ts'
import type { PageImage, PicturePlace, Rendition } from './storage/rendition.ts'

/** Pictures of one page are held in memory together with it. */
const MOST_BYTES_OF_PAGE = 16_000_000
const MOST_IMAGES = 200
const AT_ONCE = 4
/** Named in a warning, with their sizes; the rest is counted. */
const MOST_NAMED = 5

export type Gallery = { client: WikiClient; egress: Egress; maxImageBytes: number }

/** `incomplete`: a picture may be there the next time, although the page has not changed. */
export type Pictured = { warnings: DocumentWarning[]; incomplete: boolean }

/**
 * Reads the pictures of a page into it, as Base64 with the type that they really have: its own files, and public ones
 * by URL. One that cannot be read stays out and is counted. Where a file is newer than the listing, so may be its
 * permissions.
 */
export async function readImages(
  { parts }: Rendition,
  { ref, gallery }: { ref: DocumentRef; gallery: Gallery },
  signal: AbortSignal,
): Promise<Pictured | 'again'> {
  const pictures = parts.filter((part) => typeof part !== 'string').filter(isReadable)
  const page = new PictureReader({ ref, gallery }, signal)
  const taken = pictures.slice(0, MOST_IMAGES)
  if (taken.some(({ place }) => place.kind === 'own') && !(await page.isAsListed())) return 'again'
  for (let i = 0; i < taken.length; i += AT_ONCE)
    await Promise.all(taken.slice(i, i + AT_ONCE).map((picture) => page.read(picture)))
  return { warnings: page.warnings(pictures.length - taken.length), incomplete: page.incomplete }
}

function isReadable({ place }: PageImage): boolean {
  return place.kind === 'own' || place.kind === 'elsewhere'
}

/** The pictures of one page while they are read. */
class PictureReader {
  incomplete = false
  readonly #ref: DocumentRef
  readonly #gallery: Gallery
  readonly #signal: AbortSignal
  readonly #missing: string[] = []
  readonly #tooLarge = new Set<string>()
  #files: Promise<FileInfo[]> | undefined
  #bytes = 0
  #large = 0

  constructor({ ref, gallery }: { ref: DocumentRef; gallery: Gallery }, signal: AbortSignal) {
    this.#ref = ref
    this.#gallery = gallery
    this.#signal = signal
  }

  async isAsListed(): Promise<boolean> {
    return imageFingerprint(await this.#filesOfPage()) === splitVersion(this.#ref.version).pictures
  }

  async read(picture: PageImage): Promise<void> {
    try {
      const { bytes, type } = await this.#contentOf(picture)
      this.#bytes += bytes.length
      if (this.#bytes > MOST_BYTES_OF_PAGE)
        throw new AppError('document_too_large', 'the pictures of a page may have 16 MB together')
      picture.src = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!(error instanceof AppError) || error.code === 'source_unauthorized') throw error
      if (isTooLong(error)) return this.#leaveOut(picture.place)
      this.#missing.push(error.message)
      // The account may get permission for a file of this page later.
      const isRefused = picture.place.kind === 'own' && error.code === 'source_forbidden'
      if (error.retryable || isRefused) this.incomplete = true
    }
  }

  warnings(beyond: number): DocumentWarning[] {
    const missing = [...this.#missing]
    if (beyond > 0) missing.push(`a page may have ${MOST_IMAGES} pictures`)
    const count = this.#missing.length + this.#large + beyond
    if (count === 0) return []
    const message = [...this.#largeOnes(), ...missing.toSorted().slice(0, 1)].join('; ')
    return [{ code: 'images_missing', count, message }]
  }

  /** By file name and size, as far as they are known. */
  async #leaveOut(place: PicturePlace): Promise<void> {
    const [name, size] =
      place.kind === 'own' ? [place.name, await this.#sizeOf(place.name)] : [shownUrl(place)]
    this.#large++
    this.#tooLarge.add(`${name.slice(0, 100)} (${size ? megabytes(size) : 'size unknown'})`)
  }

  /** Its size is a detail of a warning, which fails no page. */
  async #sizeOf(name: string): Promise<number | undefined> {
    const files = await this.#filesOfPage().catch(undefinedUnlessFatal)
    return files?.find(({ title }) => title === name)?.bytes ?? undefined
  }

  #largeOnes(): string[] {
    if (this.#tooLarge.size === 0) return []
    const names = [...this.#tooLarge].toSorted()
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
    const limit = megabytes(this.#gallery.maxImageBytes)
    return [`larger than max_image_bytes (${limit}): ${names.slice(0, MOST_NAMED).join(', ')}${more}`]
  }

  async #contentOf(picture: PageImage): Promise<{ bytes: Uint8Array; type: string }> {
    const doing = `reading a picture of page ${pageIdOf(this.#ref)}`
    const { bytes } = await this.#download(picture, doing)
    const type = await imageType(bytes)
    if (!type) throw new AppError('document_unsupported', `${doing}: it is not a picture`)
    return { bytes, type }
  }

  async #download({ place }: PageImage, doing: string): Promise<Downloaded> {
    const { client, egress, maxImageBytes: maxBytes } = this.#gallery
    if (place.kind === 'elsewhere') {
      const what = { doing: `${doing} from ${place.url.host}`, url: place.url, maxBytes }
      return downloadExternal(egress, what, this.#signal)
    }
    const file = await this.#file(place.kind === 'own' ? place.name : '', doing)
    if (file.bytes && file.bytes > maxBytes)
      throw new AppError('source_answer_too_long', `${doing}: it is too large`)
    const wanted = { ...file, pageId: pageIdOf(this.#ref) }
    const got = await client.download(wanted, { maxBytes }, this.#signal)
    if (!got) throw new AppError('source_misread', `${doing}: it was replaced meanwhile`)
    return got
  }

  /** The file among those of the page: a name in a body is its author's word. */
  async #file(name: string, doing: string): Promise<FileInfo> {
    const file = (await this.#filesOfPage()).find(({ title }) => title === name)
    if (!file)
      throw new AppError('source_not_found', `${doing}: the page has no file "${name.slice(0, 100)}"`)
    return file
  }

  #filesOfPage(): Promise<FileInfo[]> {
    this.#files ??= this.#gallery.client.files(nodeOfRef(this.#ref), this.#signal)
    return this.#files
  }
}

function shownUrl(place: PicturePlace): string {
  return place.kind === 'elsewhere' ? `${place.url.pathname.split('/').at(-1)} of ${place.url.host}` : ''
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
