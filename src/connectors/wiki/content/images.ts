import type { DocumentRef, DocumentWarning } from '../../../document.ts'
import { AppError } from '../../../errors.ts'
import { imageType } from '../../../filetype/filetype.ts'
import type { Egress } from '../../egress/egress.ts'
import type { Downloaded } from '../../kit/download.ts'
import { downloadExternal } from '../../kit/external-download.ts'
import { undefinedUnlessFatal } from '../access/directory.ts'
import type { FileInfo, WikiClient } from '../client.ts'
import { nodeOfRef, pageIdOf } from '../document-page.ts'
import { imageFingerprint, splitVersion } from '../listing/content-fingerprint.ts'
import { isTooLong } from '../transport/transport.ts'
import { type ImageLocation, isReadableImage, type PageImage, type Rendition } from './storage/rendition.ts'

/** The images of a page are in memory together. */
const MAX_PAGE_BYTES = 16_000_000
const MAX_IMAGES = 200
const CONCURRENCY = 4
/** Images named in a warning; the others are only counted. */
const MAX_NAMED = 5

export type ImageContext = { client: WikiClient; egress: Egress; maxImageBytes: number }

/** `incomplete`: a later read may find an image although the page has not changed. */
export type ImageResult = { warnings: DocumentWarning[]; incomplete: boolean }

/**
 * Embeds own files and public URLs as Base64 and counts unreadable ones. `relist` if a file is newer than the
 * listing, because its permissions may be too.
 */
export async function readImages(
  { parts }: Rendition,
  { ref, images }: { ref: DocumentRef; images: ImageContext },
  signal: AbortSignal,
): Promise<ImageResult | 'relist'> {
  const all = parts.filter((part) => typeof part !== 'string').filter(isReadableImage)
  const reader = new ImageReader({ ref, images }, signal)
  const first = all.slice(0, MAX_IMAGES)
  if (first.some(({ location }) => location.kind === 'own') && !(await reader.isAsListed())) return 'relist'
  for (let i = 0; i < first.length; i += CONCURRENCY)
    await Promise.all(first.slice(i, i + CONCURRENCY).map((image) => reader.read(image)))
  return { warnings: reader.warnings(all.length - first.length), incomplete: reader.incomplete }
}

class ImageReader {
  incomplete = false
  readonly #ref: DocumentRef
  readonly #context: ImageContext
  readonly #signal: AbortSignal
  readonly #missing: string[] = []
  readonly #tooLarge = new Set<string>()
  #files: Promise<FileInfo[]> | undefined
  #bytes = 0
  #tooLargeCount = 0

  constructor({ ref, images }: { ref: DocumentRef; images: ImageContext }, signal: AbortSignal) {
    this.#ref = ref
    this.#context = images
    this.#signal = signal
  }

  async isAsListed(): Promise<boolean> {
    return imageFingerprint(await this.#filesOfPage()) === splitVersion(this.#ref.version).images
  }

  async read(image: PageImage): Promise<void> {
    try {
      const { bytes, type } = await this.#contentOf(image)
      this.#bytes += bytes.length
      if (this.#bytes > MAX_PAGE_BYTES)
        throw new AppError('document_too_large', 'the images of a page exceed 16 MB')
      image.data = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!(error instanceof AppError) || error.code === 'source_unauthorized') throw error
      if (isTooLong(error)) return this.#addTooLarge(image.location)
      this.#missing.push(error.message)
      // The account may get permission later.
      const isRefused = image.location.kind === 'own' && error.code === 'source_forbidden'
      if (error.retryable || isRefused) this.incomplete = true
    }
  }

  warnings(unread: number): DocumentWarning[] {
    const missing = [...this.#missing]
    if (unread > 0) missing.push(`only the first ${MAX_IMAGES} images of a page are read`)
    const count = this.#missing.length + this.#tooLargeCount + unread
    if (count === 0) return []
    const message = [...this.#tooLargeMessage(), ...missing.toSorted().slice(0, 1)].join('; ')
    return [{ code: 'images_missing', count, message }]
  }

  async #addTooLarge(location: ImageLocation): Promise<void> {
    const [name, size] =
      location.kind === 'own' ? [location.name, await this.#sizeOf(location.name)] : [urlLabel(location)]
    this.#tooLargeCount++
    this.#tooLarge.add(`${name.slice(0, 100)} (${size ? megabytes(size) : 'size unknown'})`)
  }

  /** A missing size must not fail the page. */
  async #sizeOf(name: string): Promise<number | undefined> {
    const files = await this.#filesOfPage().catch(undefinedUnlessFatal)
    return files?.find(({ title }) => title === name)?.bytes ?? undefined
  }

  #tooLargeMessage(): string[] {
    if (this.#tooLarge.size === 0) return []
    const names = [...this.#tooLarge].toSorted()
    const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
    const limit = megabytes(this.#context.maxImageBytes)
    return [`larger than max_image_bytes (${limit}): ${names.slice(0, MAX_NAMED).join(', ')}${more}`]
  }

  async #contentOf(image: PageImage): Promise<{ bytes: Uint8Array; type: string }> {
    const doing = `reading an image of page ${pageIdOf(this.#ref)}`
    const { bytes } = await this.#download(image, doing)
    const type = await imageType(bytes)
    if (!type) throw new AppError('document_unsupported', `${doing}: it is not an image`)
    return { bytes, type }
  }

  async #download({ location }: PageImage, doing: string): Promise<Downloaded> {
    const { client, egress, maxImageBytes: maxBytes } = this.#context
    if (location.kind === 'external') {
      const what = { doing: `${doing} from ${location.url.host}`, url: location.url, maxBytes }
      return downloadExternal({ egress, source: client }, what, this.#signal)
    }
    const file = await this.#file(location.kind === 'own' ? location.name : '', doing)
    if (file.bytes && file.bytes > maxBytes)
      throw new AppError('source_answer_too_long', `${doing}: it is too large`)
    const version = { ...file, pageId: pageIdOf(this.#ref) }
    const downloaded = await client.download(version, { maxBytes }, this.#signal)
    if (!downloaded) throw new AppError('source_misread', `${doing}: it was replaced during the run`)
    return downloaded
  }

  /** Looks the file up in the page's list, because authors can write any name. */
  async #file(name: string, doing: string): Promise<FileInfo> {
    const file = (await this.#filesOfPage()).find(({ title }) => title === name)
    if (!file)
      throw new AppError('source_not_found', `${doing}: the page has no file "${name.slice(0, 100)}"`)
    return file
  }

  #filesOfPage(): Promise<FileInfo[]> {
    this.#files ??= this.#context.client.files(nodeOfRef(this.#ref), this.#signal)
    return this.#files
  }
}

function urlLabel(location: ImageLocation): string {
  return location.kind === 'external'
    ? `${location.url.pathname.split('/').at(-1)} of ${location.url.host}`
    : ''
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
