import { decodeEntities, escapeText } from './entities.ts'
import type { Frame, Frames } from './frames.ts'
import { sanitizeHtml } from './html-tags.ts'
import { appMacroRule, type MacroRule, macroRule } from './macros.ts'
import { markdownHtml } from './markdown.ts'
import type { StorageAttributes } from './reader.ts'
import type { Droppable } from './rendition.ts'
import { visibleMarkup } from './wiki-markup.ts'

export type OpenMacro = Droppable & {
  name: string
  macro: MacroRule
  frame: Frame
  language: string
  /** Of an unknown macro, shown with its body. */
  title: { rank: number; html: string } | null
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
    const { frame, macro } = this.#openMacro({ name }, macroName, macroRule(macroName))
    if (macro.kind === 'conditional') frame.skips = true
    return frame
  }

  /** A macro of an app; `setAppName` follows, before or after its body. */
  appMacro(name: string): OpenMacro {
    return this.#openMacro({ name }, '', appMacroRule(''))
  }

  /** Reads the last part of a key such as `APP/ENV/static/NAME`. If there are several, the strictest counts. */
  setAppName(open: OpenMacro, key: string): void {
    const lastPart = decodeEntities(key)
      .split('/')
      .findLast((part) => part.trim() !== '')
    const name = (lastPart ?? '').trim().toLowerCase()
    const macro = appMacroRule(name)
    if (open.name !== '' && !DROPPED_KINDS.has(macro.kind)) return
    Object.assign(open, { name, macro })
    if (macro.kind === 'conditional' || (macro.kind === 'foreign' && open.hasBody)) this.#drop(open)
  }

  parameter(name: string, attributes: StorageAttributes): Frame {
    const open = this.#open.at(-1)
    const key = decodeEntities(attributes['ac:name'] ?? '')
    return this.#frames.collect(name, (html) => {
      if (open) this.setParameter(open, key, html)
    })
  }

  setParameter(open: OpenMacro, key: string, html: string): void {
    const { macro } = open
    if (LANGUAGE.has(key) && (key !== '' || macro.kind === 'code'))
      open.language = decodeEntities(html).trim().toLowerCase()
    if (key.toLowerCase() === 'hidden' && decodeEntities(html).trim().toLowerCase() === 'true') {
      this.#frames.droppedCount++
      this.#drop(open)
    }
    if (open.shown || html.trim() === '') return
    const rank = macro.visibleParameters.findIndex((each) => plainKey(each) === plainKey(key))
    if (rank < 0) return
    if (macro.kind === 'unknown') {
      if (!open.title || rank < open.title.rank) open.title = { rank, html }
      return
    }
    open.shown = true
    if (macro.kind === 'formula' || macro.kind === 'formula-block') {
      this.#formula(html, macro.kind)
      return
    }
    const isInline = macro.kind === 'label' || macro.kind === 'foreign'
    // The partitioner puts a space before a status.
    this.#frames.tag(isInline ? '<span class="status-macro">' : '<p>')
    this.#frames.text(open.name === 'roadmap' ? withoutPercents(html) : html)
    this.#frames.tag(isInline ? '</span>' : '</p>')
  }

  richBody(name: string, open = this.#open.at(-1)): Frame {
    if (!open) return { name }
    if (open.macro.kind === 'foreign') return { name, skips: true }
    this.#startBody(open)
    return this.#frames.block(name, 'div')
  }

  plainBody(name: string): Frame {
    const open = this.#open.at(-1)
    const kind = open?.macro.kind ?? 'code'
    return this.#frames.collect(name, (html) => {
      if (kind === 'html') this.#frames.text(sanitizeHtml(decodeEntities(html)))
      else if (kind === 'markdown') this.#frames.text(markdownHtml(decodeEntities(html)))
      else if (kind === 'wiki-markup') this.#markup(decodeEntities(html), '')
      else if (kind === 'formula' || kind === 'formula-block') this.#formula(html, kind)
      else if (kind === 'unknown') this.#unknownBody(open, html)
      else if (kind !== 'foreign' && kind !== 'silent') this.#code(html, open?.language ?? '')
    })
  }

  /** It may be wiki markup, so its conditional parts are left out. */
  #unknownBody(open: OpenMacro | undefined, html: string): void {
    if (!open || html.trim() === '') return
    this.#startBody(open)
    this.#markup(decodeEntities(html), open.language)
  }

  #startBody(open: OpenMacro): void {
    open.hasBody = true
    if (open.macro.kind !== 'unknown' || !open.title) return
    this.#frames.tag('<p>')
    this.#frames.text(open.title.html)
    this.#frames.tag('</p>')
    open.title = null
  }

  #openMacro(frame: Frame, name: string, macro: MacroRule): OpenMacro {
    const { writer } = this.#frames
    const open: OpenMacro = {
      name,
      macro,
      frame,
      language: '',
      title: null,
      shown: false,
      hasBody: false,
      isDropped: false,
    }
    this.#open.push(open)
    writer.markRegion(open, 'start')
    frame.onClose = () => {
      this.#open.pop()
      writer.markRegion(open, 'end')
      const { kind } = open.macro
      const isLeftOut = kind === 'unknown' ? !open.hasBody : DROPPED_KINDS.has(kind) && !open.shown
      if (isLeftOut) this.#frames.reportDropped(open.name)
    }
    return open
  }

  /** Drops what was written of the macro, and the rest. */
  #drop(open: OpenMacro): void {
    open.isDropped = true
    this.#frames.skip(open.frame)
  }

  #markup(markup: string, language: string): void {
    const { text, hidden } = visibleMarkup(markup)
    for (const name of hidden) this.#frames.reportDropped(name)
    if (text.trim() !== '') this.#code(escapeText(text), language)
  }

  /** As a browser gets a formula. */
  #formula(html: string, kind: 'formula' | 'formula-block'): void {
    const isBlock = kind === 'formula-block'
    this.#frames.tag(`${isBlock ? '<div>' : ''}<math><annotation encoding="application/x-tex">`)
    this.#frames.text(html)
    this.#frames.tag(`</annotation></math>${isBlock ? '</div>' : ''}`)
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

/** Apps write `diagramName` as `diagram-name`. */
function plainKey(key: string): string {
  return key.replaceAll('-', '').toLowerCase()
}

/** The title of a roadmap is stored as a part of an address. */
function withoutPercents(html: string): string {
  try {
    return escapeText(decodeURIComponent(decodeEntities(html)))
  } catch {
    return html
  }
}
