import type { DocumentRef, DocumentWarning } from '../../document.ts'
import { AppError } from '../../errors.ts'
import { imageType } from '../../filetype.ts'
import type { Egress } from '../egress.ts'
import type { Borrowing } from './borrowing.ts'
import type { WikiClient } from './client.ts'
import { type ImagePlace, placeOfImage } from './image-places.ts'
import { type ImageTag, imagesIn, replaceImages } from './image-tags.ts'
import { pageIdOf } from './refs.ts'
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
 * the page as it is, and is counted.
 */
export async function withImages(
  html: string,
  { ref, gallery }: { ref: DocumentRef; gallery: Gallery },
  signal: AbortSignal,
): Promise<Pictured> {
  const { site } = gallery.client
  const placed = imagesIn(html)
    .map((tag) => ({ tag, place: placeOfImage(tag, site) }))
    .filter(({ place }) => place.kind !== 'none')
  const sources = new Map<ImageTag, string>()
  const missing: string[] = []
  let revisit = false
  let bytes = 0
  const fetchOne = async ({ tag, place }: { tag: ImageTag; place: ImagePlace }, at: number) => {
    try {
      if (at >= MOST_IMAGES) throw tooMuch(`a page may have ${MOST_IMAGES} pictures`)
      if (isBorrowed(place, ref)) revisit = true
      const picture = await fetchPicture(place, { ref, gallery }, signal)
      bytes += picture.bytes.length
      if (bytes > MOST_BYTES_OF_PAGE) throw tooMuch('the pictures of a page may have 16 MB together')
      const base64 = Buffer.from(picture.bytes).toString('base64')
      sources.set(tag, `data:${picture.type};base64,${base64}`)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof AppError) || error.code === 'source_unauthorized') throw error
      missing.push(error.message)
      if (error.retryable) revisit = true
    }
  }
  for (let i = 0; i < placed.length; i += AT_ONCE)
    await Promise.all(placed.slice(i, i + AT_ONCE).map((each, at) => fetchOne(each, i + at)))

  const [message] = missing.toSorted()
  const warnings = message ? [{ code: 'images_missing', count: missing.length, message }] : []
  return { html: replaceImages(html, sources), warnings, revisit }
}

/** A picture that belongs to another page: its rights may change without this page noticing. */
function isBorrowed(place: ImagePlace, ref: DocumentRef): boolean {
  return place.kind === 'stored' && place.stored.pageId !== pageIdOf(ref)
}

type Picture = { bytes: Uint8Array; type: string }

async function fetchPicture(
  place: ImagePlace,
  { ref, gallery }: { ref: DocumentRef; gallery: Gallery },
  signal: AbortSignal,
): Promise<Picture> {
  const { client, egress, mayBorrow } = gallery
  const reading = { maxBytes: MOST_BYTES }
  const of = `page ${pageIdOf(ref)}`
  let picture: Downloaded
  if (place.kind === 'stored') {
    const { stored } = place
    if (isBorrowed(place, ref) && !(await mayBorrow(ref, stored.pageId, signal))) {
      const told = `reading a picture of ${of}: it belongs to page ${stored.pageId}, which not everybody may see who sees this one`
      throw new AppError('source_forbidden', told)
    }
    picture = await client.picture(stored, reading, signal)
  } else if (place.kind === 'elsewhere') {
    const doing = `reading a picture of ${of} from ${place.url.host}`
    picture = await downloadStranger(egress, { doing, url: place.url, ...reading }, signal)
  } else {
    throw new AppError(
      'source_not_found',
      `reading a picture of ${of}: its address is not one of a stored file`,
    )
  }
  const type = await imageType(picture.bytes)
  if (!type || !picture.whole)
    throw new AppError('document_unsupported', `reading a picture of ${of}: it is not a picture`)
  return { bytes: picture.bytes, type }
}

function tooMuch(why: string): AppError {
  return new AppError('document_too_large', why)
}
