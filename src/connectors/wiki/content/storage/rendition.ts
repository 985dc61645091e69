import { quoteAttribute } from './entities.ts'

/** Where an image is. */
export type ImageLocation =
  /** A file of the page itself. */
  | { kind: 'own'; name: string }
  | { kind: 'external'; url: URL }
  /** A data URL. */
  | { kind: 'inline' }
  /** A file of another page; only its text is kept. */
  | { kind: 'other' }

/** `src` is its address, `data` its content as a data URL once it is read. */
export type PageImage = {
  location: ImageLocation
  src: string | null
  data?: string
  alt: string
  title: string
  width: string
  height: string
}

/** HTML with its images separate, and the dropped macros. */
export type Rendition = { parts: (string | PageImage)[]; dropped: Set<string> }

export function htmlOf(parts: (string | PageImage)[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : imageTag(part))).join('')
}

export function isReadableImage({ location }: PageImage): boolean {
  return location.kind === 'own' || location.kind === 'external'
}

/** Images that cannot be read become text: a page may have half a million, which take seconds to copy. */
export function withReadableImages(parts: (string | PageImage)[]): (string | PageImage)[] {
  const kept: (string | PageImage)[] = []
  let text: string[] = []
  const joinText = () => {
    if (text.length > 0) kept.push(text.join(''))
    text = []
  }
  for (const part of parts) {
    if (typeof part === 'string') text.push(part)
    else if (!isReadableImage(part)) text.push(imageTag(part))
    else {
      joinText()
      kept.push(part)
    }
  }
  joinText()
  return kept
}

/** As in the wiki's own rendering, the name of the file is apart from the text. */
function imageTag({ location, src, data, alt, title, width, height }: PageImage): string {
  const file = location.kind === 'own' ? location.name.replaceAll('&', '&amp;') : ''
  const attributes = Object.entries({
    src: data ?? src ?? '',
    'data-image-src': data ? (src ?? '') : '',
    'data-linked-resource-default-alias': file,
    alt,
    title,
    width,
    height,
  })
  const attributesHtml = attributes.flatMap(([name, value]) =>
    value ? [` ${name}="${quoteAttribute(value)}"`] : [],
  )
  return `<img${attributesHtml.join('')}>`
}

/** Text that is dropped if `isDropped` is set by the end. */
export type Droppable = { isDropped: boolean }
type DroppableEdge = { region: Droppable; edge: 'start' | 'end' }

const MAX_PIECES = 4096

/** Joins pieces regularly, because a large page has millions. */
export class RenditionWriter {
  readonly #parts: (string | PageImage | DroppableEdge)[] = []
  #pieces: string[] = []
  #visible = 0

  /** Grows with visible text; equal values mean there was none. */
  get visible(): number {
    return this.#visible
  }

  tag(html: string): void {
    if (html === '') return
    this.#pieces.push(html)
    if (this.#pieces.length >= MAX_PIECES) this.#join()
  }

  text(html: string): void {
    this.tag(html)
    if (isVisible(html)) this.#visible++
  }

  image(image: PageImage): void {
    this.#join()
    this.#parts.push(image)
    this.#visible++
  }

  /** Marks the start or end of a region that may be dropped later. */
  markRegion(region: Droppable, edge: 'start' | 'end'): void {
    this.#join()
    this.#parts.push({ region, edge })
  }

  finish(): (string | PageImage)[] {
    this.#join()
    return withoutDropped(this.#parts)
  }

  #join(): void {
    if (this.#pieces.length > 0) this.#parts.push(this.#pieces.join(''))
    this.#pieces = []
  }
}

/** Regions are properly nested. */
function withoutDropped(parts: (string | PageImage | DroppableEdge)[]): (string | PageImage)[] {
  const kept: (string | PageImage)[] = []
  let droppedDepth = 0
  for (const part of parts) {
    if (typeof part !== 'string' && 'region' in part) {
      if (part.region.isDropped) droppedDepth += part.edge === 'start' ? 1 : -1
    } else if (droppedDepth === 0) kept.push(part)
  }
  return kept
}

function isVisible(html: string): boolean {
  const text = html.length < 100 ? html.replace(/&(?:nbsp|#160|#xa0|zwnj|#8203);/gi, ' ') : html
  return /[^\s\u200b\u200c]/.test(text)
}
