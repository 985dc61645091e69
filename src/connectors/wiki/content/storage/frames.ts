import { RenditionWriter } from './rendition.ts'

/** An open element and what closing it does. */
export type Frame = {
  name: string
  end?: string
  /** Drops everything inside. */
  skips?: true
  /** Collects the text inside for `onClose`. */
  collects?: Collected
  onClose?: () => void
}
type Collected = { pieces: string[]; label: string; outer: Collected | null }

/** Authors choose macro names, so number and length are bounded. */
const MAX_NAME_LENGTH = 100
const MAX_NAMES = 50

/** The open elements of a body; they write, collect or drop their content. */
export class Frames {
  readonly writer = new RenditionWriter()
  /** Macros whose content was dropped. */
  readonly dropped = new Set<string>()
  collecting: Collected | null = null
  /** How often content was dropped that no fallback may show. */
  droppedCount = 0
  readonly #open: Frame[] = []
  #skipDepth = 0

  get isSkipping(): boolean {
    return this.#skipDepth > 0
  }

  get innermost(): string {
    return this.#open.at(-1)?.name ?? ''
  }

  /** Grows with every output or drop; equal values mean neither happened. */
  get progress(): number {
    return this.writer.visible + this.droppedCount
  }

  open(frame: Frame): void {
    this.#open.push(frame)
    if (frame.skips) this.#skipDepth++
    if (!frame.collects) return
    frame.collects.outer = this.collecting
    this.collecting = frame.collects
  }

  close(): void {
    const frame = this.#open.pop()
    if (!frame) return
    if (frame.collects) this.collecting = frame.collects.outer
    if (frame.skips) this.#skipDepth--
    frame.onClose?.()
    if (frame.end) this.tag(frame.end)
  }

  /** Drops everything inside from now on. */
  skip(frame: Frame): void {
    if (frame.skips) return
    frame.skips = true
    this.#skipDepth++
  }

  tag(html: string): void {
    if (this.#skipDepth === 0) this.writer.tag(html)
  }

  text(html: string): void {
    if (this.collecting) this.collecting.pieces.push(html)
    else if (this.#skipDepth === 0) this.writer.text(html)
  }

  /** Writes the text unless something visible was written since. */
  textIfNoneVisibleSince(visibleBefore: number, html: string): void {
    if (this.writer.visible === visibleBefore) this.text(html)
  }

  reportDropped(name: string): void {
    this.droppedCount++
    const shortName = name.slice(0, MAX_NAME_LENGTH).replace(/\s+/g, ' ').trim().toWellFormed()
    if (shortName !== '' && this.dropped.size < MAX_NAMES) this.dropped.add(shortName)
  }

  block(name: string, tag: string): Frame {
    this.tag(`<${tag}>`)
    return { name, end: `</${tag}>` }
  }

  /** Passes on the text inside, or a label of its target. */
  collect(name: string, take: (html: string) => void): Frame {
    const collects: Collected = { pieces: [], label: '', outer: null }
    const onClose = () => {
      const text = collects.pieces.join('')
      take(text.trim() === '' ? collects.label : text)
    }
    return { name, collects, onClose }
  }
}
