import { quoteAttribute } from './entities.ts'

/** Where an image is. */
export type ImagePlace =
  /** A file of the page itself. */
  | { kind: 'own'; name: string }
  | { kind: 'elsewhere'; url: URL }
  /** A data URL. */
  | { kind: 'inline' }
  /** A file of another page; only its text is kept. */
  | { kind: 'other' }

/** `src` is the address until the image is read. */
export type PageImage = {
  place: ImagePlace
  src: string | null
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

function imageTag({ src, alt, title, width, height }: PageImage): string {
  const attributes = Object.entries({ src: src ?? '', alt, title, width, height })
  const written = attributes.flatMap(([name, value]) =>
    value ? [` ${name}="${quoteAttribute(value)}"`] : [],
  )
  return `<img${written.join('')}>`
}

/** Text that is dropped if `isGone` is set by the end. */
export type Droppable = { isGone: boolean }
type GateEdge = { gate: Droppable; edge: 'start' | 'end' }

const MAX_PIECES = 4096

/** Joins pieces regularly, because a large page has millions. */
export class RenditionWriter {
  readonly #parts: (string | PageImage | GateEdge)[] = []
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

  /** The gate decides whether everything between its two edges is kept. */
  gate(gate: Droppable, edge: 'start' | 'end'): void {
    this.#join()
    this.#parts.push({ gate, edge })
  }

  /** A position for `goBack`. */
  mark(): number {
    this.#join()
    return this.#parts.length
  }

  /** Removes everything since a mark. */
  goBack(mark: number): void {
    this.#pieces = []
    this.#parts.length = Math.min(this.#parts.length, mark)
  }

  finish(): (string | PageImage)[] {
    this.#join()
    return withoutGates(this.#parts)
  }

  #join(): void {
    if (this.#pieces.length > 0) this.#parts.push(this.#pieces.join(''))
    this.#pieces = []
  }
}

function withoutGates(parts: (string | PageImage | GateEdge)[]): (string | PageImage)[] {
  const kept: (string | PageImage)[] = []
  const inside = new Map<Droppable, number>()
  let gone = 0
  for (const part of parts) {
    if (typeof part === 'string' || 'place' in part) {
      if (gone === 0) kept.push(part)
      continue
    }
    const { gate, edge } = part
    const open = inside.get(gate) ?? 0
    // A removed start may still get its end.
    if (!gate.isGone || (edge === 'end' && open === 0)) continue
    const step = edge === 'start' ? 1 : -1
    inside.set(gate, open + step)
    gone += step
  }
  return kept
}

function isVisible(html: string): boolean {
  const text = html.length < 100 ? html.replace(/&(?:nbsp|#160|#xa0|zwnj|#8203);/gi, ' ') : html
  return /[^\s\u200b\u200c]/.test(text)
}
