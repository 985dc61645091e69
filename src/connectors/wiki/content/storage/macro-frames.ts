import { decodeEntities } from './entities.ts'
import type { Frame, Frames } from './frames.ts'
import { sanitizeHtml } from './html-tags.ts'
import { type MacroRule, macroRule } from './macros.ts'
import { markdownHtml } from './markdown.ts'
import type { StorageAttributes } from './reader.ts'

type OpenMacro = {
  macro: MacroRule
  frame: Frame
  position: number
  language: string
  shown: boolean
  hasBody: boolean
}

/** Macros with their parameters and bodies, by kind. */
export class MacroFrames {
  readonly #frames: Frames
  readonly #open: OpenMacro[] = []

  constructor(frames: Frames) {
    this.#frames = frames
  }

  macro(name: string, attributes: StorageAttributes): Frame {
    const macroName = decodeEntities(attributes['ac:name'] ?? '').toLowerCase()
    const macro = macroRule(macroName)
    const position = macro.hideable ? this.#frames.writer.position() : 0
    const frame: Frame = { name, ...(macro.kind === 'conditional' ? { skips: true } : {}) }
    const open = { macro, frame, position, language: '', shown: false, hasBody: false }
    this.#open.push(open)
    frame.onClose = () => {
      this.#open.pop()
      const isDropped = macro.kind === 'unknown' ? !open.hasBody : DROPPED_KINDS.has(macro.kind)
      if (isDropped) this.#frames.reportDropped(macroName)
    }
    return frame
  }

  parameter(name: string, attributes: StorageAttributes): Frame {
    const open = this.#open.at(-1)
    const key = decodeEntities(attributes['ac:name'] ?? '')
    return this.#frames.collect(name, (html) => {
      if (open) this.#setParameter(open, key, html)
    })
  }

  richBody(name: string): Frame {
    const open = this.#open.at(-1)
    if (!open) return { name }
    if (open.macro.kind === 'foreign') return { name, skips: true }
    open.hasBody = true
    return this.#frames.block(name, 'div')
  }

  plainBody(name: string): Frame {
    const open = this.#open.at(-1)
    const kind = open?.macro.kind ?? 'code'
    return this.#frames.collect(name, (html) => {
      if (kind === 'html') this.#frames.text(sanitizeHtml(decodeEntities(html)))
      else if (kind === 'markdown') this.#frames.text(markdownHtml(decodeEntities(html)))
      else if (kind !== 'foreign' && kind !== 'unknown') this.#code(html, open?.language ?? '')
    })
  }

  #setParameter(open: OpenMacro, key: string, html: string): void {
    const { macro, frame } = open
    if (LANGUAGE.has(key)) open.language = decodeEntities(html).trim().toLowerCase()
    if (key === 'hidden' && macro.hideable && html.trim().toLowerCase() === 'true' && !frame.skips) {
      this.#frames.writer.truncate(open.position)
      this.#frames.droppedCount++
      this.#frames.skip(frame)
    }
    if (open.shown || !macro.visibleParameters.includes(key) || html.trim() === '') return
    open.shown = true
    const isInline = macro.kind === 'label' || macro.kind === 'foreign'
    // The partitioner puts a space before a status.
    this.#frames.tag(isInline ? '<span class="status-macro">' : '<p>')
    this.#frames.text(html)
    this.#frames.tag(isInline ? '</span>' : '</p>')
  }

  #code(html: string, language: string): void {
    const isName = /^[a-z0-9][a-z0-9+#._-]*$/.test(language)
    this.#frames.tag(isName ? `<pre><code class="language-${language}">` : '<pre><code>')
    this.#frames.text(html)
    this.#frames.tag('</code></pre>')
  }
}

/** Old pages have it as the default parameter. */
const LANGUAGE = new Set(['language', 'lang', ''])
const DROPPED_KINDS: ReadonlySet<string> = new Set(['foreign', 'conditional'])
