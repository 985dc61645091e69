import { RenditionWriter } from './rendition.ts'

/** An open element, with what its end does. */
export type Frame = {
  name: string
  end?: string
  /** Nothing inside is written. */
  mutes?: true
  /** Text inside goes here, and `whenClosed` takes it. */
  collects?: Collected
  whenClosed?: () => void
}
type Collected = { pieces: string[]; label: string }

/** Names are an author's word: more or longer ones say nothing. */
const LONGEST_NAME = 100
const MOST_NAMES = 50

/** The open elements of a body, and whether what they hold is written, collected or left out. */
export class Frames {
  readonly writer = new RenditionWriter()
  /** Macros whose content was left out. */
  readonly dropped = new Set<string>()
  collecting: Collected | null = null
  /** How often something was left out that no fallback may show. */
  withheld = 0
  readonly #open: Frame[] = []
  #muted = 0

  get isMuted(): boolean {
    return this.#muted > 0
  }

  /** The name of the innermost element. */
  get innermost(): string {
    return this.#open.at(-1)?.name ?? ''
  }

  /** Only grows: two equal answers mean that nothing was shown or left out between them. */
  get progress(): number {
    return this.writer.visible + this.withheld
  }

  open(frame: Frame): void {
    this.#open.push(frame)
    if (frame.mutes) this.#muted++
    if (frame.collects) this.collecting = frame.collects
  }

  close(): void {
    const frame = this.#open.pop()
    if (!frame) return
    if (frame.collects) this.collecting = null
    if (frame.mutes) this.#muted--
    frame.whenClosed?.()
    if (frame.end) this.tag(frame.end)
  }

  /** From now on nothing inside an open element is written. */
  mute(frame: Frame): void {
    if (frame.mutes) return
    frame.mutes = true
    this.#muted++
  }

  tag(html: string): void {
    if (this.#muted === 0) this.writer.tag(html)
  }

  text(html: string): void {
    if (this.collecting) this.collecting.pieces.push(html)
    else if (this.#muted === 0) this.writer.text(html)
  }

  /** Unless something visible was written since. */
  textUnless(visibleBefore: number, html: string): void {
    if (this.writer.visible === visibleBefore) this.text(html)
  }

  drop(name: string): void {
    this.withheld++
    const written = name.slice(0, LONGEST_NAME).replace(/\s+/g, ' ').trim().toWellFormed()
    if (written !== '' && this.dropped.size < MOST_NAMES) this.dropped.add(written)
  }

  block(name: string, tag: string): Frame {
    this.tag(`<${tag}>`)
    return { name, end: `</${tag}>` }
  }

  /** Hands over the text inside an element, or else what it refers to. */
  collect(name: string, take: (html: string) => void): Frame {
    const collects: Collected = { pieces: [], label: '' }
    const whenClosed = () => {
      const text = collects.pieces.join('')
      take(text.trim() === '' ? collects.label : text)
    }
    return { name, collects, whenClosed }
  }
}
