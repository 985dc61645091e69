import { decodeEntities } from './entities.ts'
import type { Frame, Frames } from './frames.ts'
import type { StorageAttributes } from './reader.ts'

/** An open extension, or a part of it. */
type OpenExtension = {
  /** Its content had text or was dropped, so the fallback is dropped. */
  isDropped: boolean
  isInFallback: boolean
  /** The part of `progress` that fallbacks caused. */
  fallbackProgress: number
}

/** Extensions of the newer editor: show content or fallback, in either order, never both. */
export class ExtensionFrames {
  readonly #frames: Frames
  readonly #open: OpenExtension[] = []

  constructor(frames: Frames) {
    this.#frames = frames
  }

  extension(name: string): Frame {
    this.#open.push({ isDropped: false, isInFallback: false, fallbackProgress: 0 })
    return { name, onClose: () => void this.#open.pop() }
  }

  /** A part of an extension; its output counts as content of the parent. */
  part(name: string): Frame {
    const outer = this.#open.at(-1)
    const before = this.#frames.progress
    const frame = this.extension(name)
    const onClose = () => {
      frame.onClose?.()
      if (outer && !outer.isInFallback && this.#frames.progress !== before) outer.isDropped = true
    }
    return { ...frame, onClose }
  }

  node(name: string, attributes: StorageAttributes): Frame {
    const type = decodeEntities(attributes.type ?? '').toLowerCase()
    if (type === 'sync-block' || type === 'syncblock') return this.#syncBlock(name)
    return { ...this.part(name), ...this.#frames.block(name, NODE_TAGS.get(type) ?? 'div') }
  }

  content(name: string): Frame {
    const current = this.#open.at(-1)
    if (!current || current.isInFallback) return { name }
    // If the content has no end tag, the fallback is inside it.
    const progress = () => this.#frames.progress - current.fallbackProgress
    const before = progress()
    const onClose = () => {
      if (progress() !== before) current.isDropped = true
    }
    return { name, onClose }
  }

  fallback(name: string): Frame {
    const current = this.#open.at(-1)
    if (!current || current.isInFallback) return { name }
    if (current.isDropped) return { name, skips: true }
    const { writer, progress } = this.#frames
    current.isInFallback = true
    writer.markRegion(current, 'start')
    const { end } = this.#frames.block(name, 'div')
    const onClose = () => {
      this.#frames.tag(end ?? '')
      writer.markRegion(current, 'end')
      current.isInFallback = false
      current.fallbackProgress += this.#frames.progress - progress
    }
    return { name, onClose }
  }

  /** Only the text of a leaf is visible. */
  attribute(name: string, { key = '' }: StorageAttributes): Frame {
    const isShown = this.#frames.innermost === 'ac:adf-leaf' && (key === 'text' || key === 'title')
    return this.#frames.collect(name, (html) => {
      if (isShown) this.#frames.text(html)
    })
  }

  /** References a block of another page, so its fallback copy is foreign too. */
  #syncBlock(name: string): Frame {
    this.#frames.reportDropped('sync-block')
    const outer = this.#open.at(-1)
    if (outer) outer.isDropped = true
    return { name, skips: true }
  }
}

const NODE_TAGS = new Map([
  ['decision-list', 'ul'],
  ['decision-item', 'li'],
])
