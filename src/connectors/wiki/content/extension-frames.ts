import { decoded } from './entities.ts'
import type { Frame, Frames } from './frames.ts'
import type { StorageAttributes } from './storage-reader.ts'

/** Which of the two an extension, or a part of it, has shown. */
type Shown = { content: boolean; fallback: boolean }

/** Extensions of the newer editor: content or fallback, whichever has text first, and never both. */
export class ExtensionFrames {
  readonly #frames: Frames
  readonly #open: Shown[] = []

  constructor(frames: Frames) {
    this.#frames = frames
  }

  /** An extension, or a part of one. What it shows counts as content of what it is in. */
  extension(name: string): Frame {
    const outer = this.#open.at(-1)
    if (outer?.fallback) return { name, mutes: true }
    const before = this.#frames.writer.visible
    this.#open.push({ content: false, fallback: false })
    const whenClosed = () => {
      this.#open.pop()
      if (outer && this.#frames.writer.visible !== before) outer.content = true
    }
    return { name, whenClosed }
  }

  node(name: string, attributes: StorageAttributes): Frame {
    const type = decoded(attributes.type ?? '').toLowerCase()
    if (type === 'sync-block' || type === 'syncblock') return this.#syncBlock(name)
    const frame = this.extension(name)
    return frame.mutes ? frame : { ...frame, ...this.#frames.block(name, NODE_TAGS.get(type) ?? 'div') }
  }

  alternative(name: string): Frame {
    const now = this.#open.at(-1)
    if (!now) return { name }
    const kind = name === 'ac:adf-fallback' ? 'fallback' : 'content'
    if (kind === 'fallback' ? now.content : now.fallback) return { name, mutes: true }
    const before = this.#frames.writer.visible
    const whenClosed = () => {
      if (this.#frames.writer.visible !== before) now[kind] = true
    }
    return kind === 'content' ? { name, whenClosed } : { ...this.#frames.block(name, 'div'), whenClosed }
  }

  /** Only the text of a leaf is visible. */
  attribute(name: string, { key = '' }: StorageAttributes): Frame {
    const isShown = this.#frames.innermost === 'ac:adf-leaf' && (key === 'text' || key === 'title')
    return this.#frames.collect(name, (html) => {
      if (isShown) this.#frames.text(html)
    })
  }

  /** A reference to a block of another page: a copy in the fallback is foreign too. */
  #syncBlock(name: string): Frame {
    this.#frames.drop('sync-block')
    const outer = this.#open.at(-1)
    if (outer) outer.content = true
    return { name, mutes: true }
  }
}

const NODE_TAGS = new Map([
  ['decision-list', 'ul'],
  ['decision-item', 'li'],
])
