import { decodeEntities } from './entities.ts'
import type { Frame, Frames } from './frames.ts'
import type { MacroFrames, OpenMacro } from './macro-frames.ts'
import type { StorageAttributes } from './reader.ts'

/** An open extension, or a part of it. */
type OpenExtension = {
  /** Its content had text or was dropped, so the fallback is dropped. */
  isDropped: boolean
  isInFallback: boolean
  /** The part of `progress` that fallbacks caused. */
  fallbackProgress: number
  /** The part is a macro of an app. */
  macro?: OpenMacro
}

type AppParameter = { key: string; html: string }

/** Extensions of the newer editor: show content or fallback, in either order, never both. */
export class ExtensionFrames {
  readonly #frames: Frames
  readonly #macros: MacroFrames
  readonly #open: OpenExtension[] = []
  /** Parameters inside an open attribute; it would collect their text. */
  readonly #parameters: AppParameter[] = []

  constructor(frames: Frames, macros: MacroFrames) {
    this.#frames = frames
    this.#macros = macros
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

  leaf(name: string, attributes: StorageAttributes): Frame {
    const type = typeOf(attributes)
    return APP_MACRO.test(type) ? this.#appMacro(name, type) : this.part(name)
  }

  node(name: string, attributes: StorageAttributes): Frame {
    const type = typeOf(attributes)
    if (type === 'sync-block' || type === 'syncblock') return this.#syncBlock(name)
    if (APP_MACRO.test(type)) return this.#appMacro(name, type)
    return { ...this.part(name), ...this.#frames.block(name, NODE_TAGS.get(type) ?? 'div') }
  }

  content(name: string): Frame {
    const current = this.#open.at(-1)
    if (current?.macro) return this.#macros.richBody(name, current.macro)
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
  attribute(name: string, attributes: StorageAttributes): Frame {
    const key = keyOf(attributes)
    const macro = this.#open.at(-1)?.macro
    const isShown = this.#frames.innermost === 'ac:adf-leaf' && (key === 'text' || key === 'title')
    return this.#frames.collect(name, (html) => {
      if (macro) this.#setParameters(macro, [...this.#parameters.splice(0), { key, html }])
      else if (isShown) this.#frames.text(html)
    })
  }

  /** A parameter of an app's macro, inside an attribute or another parameter. */
  parameter(name: string, attributes: StorageAttributes): Frame {
    const key = keyOf(attributes)
    const macro = this.#open.at(-1)?.macro
    // It has the macro's own title.
    if (key === 'macro-metadata') return { name, skips: true }
    return this.#frames.collect(name, (html) => {
      const { collecting } = this.#frames
      if (collecting && key === 'value') collecting.pieces.push(html)
      else if (collecting && macro) this.#parameters.push({ key, html })
      else if (macro) this.#setParameters(macro, [...this.#parameters.splice(0), { key, html }])
    })
  }

  #setParameters(macro: OpenMacro, parameters: AppParameter[]): void {
    for (const { key, html } of parameters)
      if (key === 'extension-key' || key === 'extension-id') this.#macros.setAppName(macro, html)
      else this.#macros.setParameter(macro, key, html)
  }

  /** The fallback is a rendering for other clients, often of other content. */
  #appMacro(name: string, type: string): Frame {
    const outer = this.#open.at(-1)
    if (outer) outer.isDropped = true
    this.#frames.droppedCount++
    const macro = this.#macros.appMacro(name)
    this.#open.push({ isDropped: true, isInFallback: false, fallbackProgress: 0, macro })
    const { frame } = macro
    const { onClose } = frame
    frame.onClose = () => {
      this.#open.pop()
      macro.name ||= type
      onClose?.()
    }
    return frame
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

/** `extension`, `bodied-extension`, `inline-extension`, `multi-bodied-extension`, also in camel case. */
const APP_MACRO = /extension$/

function typeOf({ type = '' }: StorageAttributes): string {
  return decodeEntities(type).trim().toLowerCase()
}

function keyOf({ key = '' }: StorageAttributes): string {
  return decodeEntities(key).trim().toLowerCase()
}
