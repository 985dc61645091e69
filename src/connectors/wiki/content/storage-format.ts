import { decoded, quoted } from './entities.ts'
import { endTag, isUnseen, ownHtml, startTag } from './html-tags.ts'
import { type Macro, macroOf } from './macros.ts'
import { markdownHtml } from './markdown.ts'
import { picturePlace } from './picture-places.ts'
import { type Picture, type Rendition, RenditionWriter } from './rendition.ts'
import { isSamePage, type OwnPage, type Target, targetOf, type UserRef } from './storage-links.ts'
import { readStorage, type StorageAttributes, type StorageHandler } from './storage-reader.ts'

export type NameOf = (user: UserRef) => string | null

/**
 * Renders a body in storage format into HTML that holds the page's own text only. What a macro would show of other
 * pages or systems is left out, and its name is reported. Linear in the length of the body, at any depth.
 */
export function renderStorage(storage: string, page: OwnPage, nameOf: NameOf): Rendition {
  const renderer = new Renderer(page, nameOf)
  readStorage(storage, renderer)
  return renderer.finish()
}

/** An open element, with what its end does. */
type Frame = {
  name: string
  end?: string
  /** Nothing inside is written. */
  mutes?: true
  /** Text inside goes here, and `whenClosed` takes it. */
  collects?: Collected
  whenClosed?: () => void
}
type Collected = { pieces: string[]; label: string }
type OpenMacro = {
  macro: Macro
  frame: Frame
  mark: number
  language: string
  shown: boolean
  kept: boolean
}
type OpenLink = { target: Target | null; anchor: string; visible: number }
/** Which of the two an extension, or a node of it, has shown. */
type Alternatives = { content: boolean; fallback: boolean }

class Renderer implements StorageHandler {
  readonly #page: OwnPage
  readonly #nameOf: NameOf
  readonly #writer = new RenditionWriter()
  readonly #dropped = new Set<string>()
  readonly #frames: Frame[] = []
  readonly #macros: OpenMacro[] = []
  readonly #owners: (OpenLink | Picture)[] = []
  readonly #alternatives: Alternatives[] = []
  #muted = 0
  #collecting: Collected | null = null

  constructor(page: OwnPage, nameOf: NameOf) {
    this.#page = page
    this.#nameOf = nameOf
  }

  finish(): Rendition {
    return { parts: this.#writer.finish(), dropped: this.#dropped }
  }

  text(html: string): void {
    if (this.#collecting) this.#collecting.pieces.push(html)
    else if (this.#muted === 0) this.#writer.text(html)
  }

  open(name: string, attributes: StorageAttributes): void {
    const frame = this.#frameFor(name, attributes)
    this.#frames.push(frame)
    if (frame.mutes) this.#muted++
    if (frame.collects) this.#collecting = frame.collects
  }

  close(): void {
    const frame = this.#frames.pop()
    if (!frame) return
    if (frame.collects) this.#collecting = null
    if (frame.mutes) this.#muted--
    frame.whenClosed?.()
    if (frame.end) this.#writer.tag(frame.end)
  }

  #frameFor(name: string, attributes: StorageAttributes): Frame {
    if (this.#collecting) {
      if (name.startsWith('ri:')) this.#collecting.label ||= this.#labelOf(name, attributes)
      return { name }
    }
    if (this.#muted > 0) return { name }
    const own = OWN.get(name)
    if (own) return own(this, name, attributes)
    if (name.startsWith('ri:')) return this.#resource(name, attributes)
    if (name.includes(':')) return { name }
    return this.#html(name, attributes)
  }

  #html(name: string, attributes: StorageAttributes): Frame {
    if (isUnseen(name)) return { name, mutes: true }
    if (name === 'img') return this.#typedImage(name, attributes)
    this.#writer.tag(startTag(name, attributes))
    const end = endTag(name)
    const { href } = attributes
    if (name !== 'a' || !href || attributes['data-card-appearance'] === undefined) return { name, end }
    // A smart link shows the title of its target, which is not stored here: its address is.
    const before = this.#writer.visible
    return { name, end, whenClosed: () => this.#unlessVisible(before, quoted(href)) }
  }

  block(name: string, tag: string): Frame {
    this.#writer.tag(`<${tag}>`)
    return { name, end: `</${tag}>` }
  }

  muted(name: string): Frame {
    return { name, mutes: true }
  }

  /** Hands over the text inside an element, or else what it refers to. */
  collecting(name: string, take: (html: string) => void): Frame {
    const collects: Collected = { pieces: [], label: '' }
    const whenClosed = () => {
      const text = collects.pieces.join('')
      take(text.trim() === '' ? collects.label : text)
    }
    return { name, collects, whenClosed }
  }

  macro(name: string, attributes: StorageAttributes): Frame {
    const written = decoded(attributes['ac:name'] ?? '').toLowerCase()
    const macro = macroOf(written)
    const mark = macro.hideable ? this.#writer.mark() : 0
    const frame: Frame = { name, ...(macro.kind === 'conditional' ? { mutes: true } : {}) }
    const open = { macro, frame, mark, language: '', shown: false, kept: false }
    this.#macros.push(open)
    frame.whenClosed = () => {
      this.#macros.pop()
      const isLost = macro.kind === 'unknown' ? !open.kept : LOST.has(macro.kind)
      if (isLost) this.#drop(written)
    }
    return frame
  }

  parameter(name: string, attributes: StorageAttributes): Frame {
    const open = this.#macros.at(-1)
    const key = decoded(attributes['ac:name'] ?? '')
    return this.collecting(name, (html) => {
      if (open) this.#parameter(open, key, html)
    })
  }

  #parameter(open: OpenMacro, key: string, html: string): void {
    const { macro, frame } = open
    if (key === 'language' || key === 'lang') open.language = decoded(html).trim().toLowerCase()
    if (key === 'hidden' && macro.hideable && html.trim().toLowerCase() === 'true' && !frame.mutes) {
      this.#writer.goBack(open.mark)
      frame.mutes = true
      this.#muted++
    }
    if (open.shown || !macro.shows.includes(key) || html.trim() === '' || this.#muted > 0) return
    open.shown = true
    const isInline = macro.kind === 'label' || macro.kind === 'foreign'
    // The partitioner puts a space before a status.
    this.#writer.tag(isInline ? '<span class="status-macro">' : '<p>')
    this.#writer.text(html)
    this.#writer.tag(isInline ? '</span>' : '</p>')
  }

  richBody(name: string): Frame {
    const open = this.#macros.at(-1)
    if (!open) return { name }
    if (open.macro.kind === 'foreign') return { name, mutes: true }
    open.kept = true
    return this.block(name, 'div')
  }

  plainBody(name: string): Frame {
    const open = this.#macros.at(-1)
    return this.collecting(name, (html) => this.#plainBody(open, html))
  }

  #plainBody(open: OpenMacro | undefined, html: string): void {
    const kind = open?.macro.kind ?? 'code'
    if (kind === 'html') this.#writer.text(ownHtml(decoded(html)))
    else if (kind === 'markdown') this.#writer.text(ownHtml(markdownHtml(decoded(html))))
    else if (kind !== 'foreign' && kind !== 'unknown') {
      const language = /^[a-z0-9][a-z0-9+#._-]*$/.test(open?.language ?? '') ? open?.language : ''
      this.#writer.tag(language ? `<pre><code class="language-${language}">` : '<pre><code>')
      this.#writer.text(html)
      this.#writer.tag('</code></pre>')
    }
  }

  link(name: string, attributes: StorageAttributes): Frame {
    const link: OpenLink = {
      target: null,
      anchor: attributes['ac:anchor'] ?? '',
      visible: this.#writer.visible,
    }
    this.#owners.push(link)
    const whenClosed = () => {
      this.#owners.pop()
      this.#unlessVisible(link.visible, this.#linkText(link))
      if (hrefOf(link.target)) this.#writer.tag('</a>')
    }
    return { name, whenClosed }
  }

  #linkText({ target, anchor }: OpenLink): string {
    if (!target) return quoted(anchor)
    if (target.kind === 'user') return this.#userName(target.user)
    if (target.kind === 'file') return quoted(target.name)
    return quoted(target.kind === 'url' ? target.url : target.label)
  }

  #userName(user: UserRef): string {
    return quoted((this.#nameOf(user) ?? '').replaceAll('&', '&amp;'))
  }

  #resource(name: string, attributes: StorageAttributes): Frame {
    const owner = this.#owners.at(-1)
    const parent = this.#frames.at(-1)?.name ?? ''
    if (!owner) return { name }
    // A page inside a file's reference: the file belongs to that page.
    if (parent.startsWith('ri:')) {
      if (isSamePage(name, attributes, this.#page)) return { name }
      if ('place' in owner) Object.assign(owner, { place: { kind: 'other' }, src: null })
      return { name }
    }
    const target = targetOf(name, attributes, this.#page)
    if ('place' in owner) Object.assign(owner, picturePlace(target, this.#page))
    else if (!owner.target && target) {
      owner.target = target
      const href = hrefOf(target)
      if (href) this.#writer.tag(`<a href="${quoted(href)}">`)
    }
    return { name }
  }

  #labelOf(name: string, attributes: StorageAttributes): string {
    const target = targetOf(name, attributes, this.#page)
    return target && target.kind !== 'user' ? this.#linkText({ target, anchor: '', visible: 0 }) : ''
  }

  image(name: string, attributes: StorageAttributes): Frame {
    const picture: Picture = {
      place: { kind: 'other' },
      src: null,
      alt: attributes['ac:alt'] ?? '',
      title: attributes['ac:title'] ?? '',
      width: attributes['ac:width'] ?? '',
      height: attributes['ac:height'] ?? '',
    }
    this.#writer.picture(picture)
    this.#owners.push(picture)
    return { name, whenClosed: () => void this.#owners.pop() }
  }

  /** An image in plain HTML, as old pages have it. */
  #typedImage(name: string, { src = '', alt = '', title = '', ...rest }: StorageAttributes): Frame {
    const { width = '', height = '' } = rest
    const place = picturePlace({ kind: 'url', url: src }, this.#page)
    this.#writer.picture({ ...place, alt, title, width, height })
    return { name }
  }

  emoticon(name: string, attributes: StorageAttributes): Frame {
    const told = {
      'data-emoji-fallback': attributes['ac:emoji-fallback'],
      'data-emoji-id': attributes['ac:emoji-id'],
      'data-emoticon-name': attributes['ac:name'],
      alt: attributes['ac:emoji-shortname'] ?? (attributes['ac:name'] && `(${attributes['ac:name']})`),
    }
    const written = Object.entries(told).flatMap(([key, value]) =>
      value ? [` ${key}="${quoted(value)}"`] : [],
    )
    this.#writer.text(`<img class="emoticon"${written.join('')}>`)
    return { name }
  }

  taskStatus(name: string): Frame {
    return this.collecting(name, (html) => this.#writer.text(html.trim() === 'complete' ? '☑ ' : '☐ '))
  }

  /** An extension, or a part of one. What it shows counts as content of what it is in. */
  extension(name: string): Frame {
    const outer = this.#alternatives.at(-1)
    if (outer?.fallback) return { name, mutes: true }
    const before = this.#writer.visible
    this.#alternatives.push({ content: false, fallback: false })
    const whenClosed = () => {
      this.#alternatives.pop()
      if (outer && this.#writer.visible !== before) outer.content = true
    }
    return { name, whenClosed }
  }

  node(name: string, attributes: StorageAttributes): Frame {
    const type = decoded(attributes.type ?? '').toLowerCase()
    if (type === 'sync-block' || type === 'syncblock') return this.#syncBlock(name)
    const frame = this.extension(name)
    return frame.mutes ? frame : { ...frame, ...this.block(name, NODE_TAGS.get(type) ?? 'div') }
  }

  /** A reference to a block of another page: a copy in the fallback is foreign too. */
  #syncBlock(name: string): Frame {
    this.#drop('sync-block')
    const outer = this.#alternatives.at(-1)
    if (outer) outer.content = true
    return { name, mutes: true }
  }

  /** Content or fallback, whichever has text first, and never both. */
  alternative(name: string): Frame {
    const now = this.#alternatives.at(-1)
    if (!now) return { name }
    const kind = name === 'ac:adf-fallback' ? 'fallback' : 'content'
    if (kind === 'fallback' ? now.content : now.fallback) return { name, mutes: true }
    const before = this.#writer.visible
    const whenClosed = () => {
      if (this.#writer.visible !== before) now[kind] = true
    }
    return kind === 'content' ? { name, whenClosed } : { ...this.block(name, 'div'), whenClosed }
  }

  attribute(name: string, attributes: StorageAttributes): Frame {
    const isLeaf = this.#frames.at(-1)?.name === 'ac:adf-leaf'
    const isShown = isLeaf && ['text', 'title'].includes(attributes.key ?? '')
    return this.collecting(name, (html) => {
      if (isShown) this.#writer.text(html)
    })
  }

  #drop(name: string): void {
    const written = name.slice(0, LONGEST_NAME).replace(/\s+/g, ' ').trim().toWellFormed()
    if (written !== '' && this.#dropped.size < MOST_NAMES) this.#dropped.add(written)
  }

  #unlessVisible(before: number, html: string): void {
    if (this.#writer.visible === before) this.#writer.text(html)
  }
}

type Opening = (renderer: Renderer, name: string, attributes: StorageAttributes) => Frame

const block =
  (tag: string): Opening =>
  (renderer, name) =>
    renderer.block(name, tag)
const muted: Opening = (renderer, name) => renderer.muted(name)

/** The wiki's own elements. One that is missing here leaves its content. */
const OWN = new Map<string, Opening>([
  ['ac:structured-macro', (renderer, ...told) => renderer.macro(...told)],
  ['ac:macro', (renderer, ...told) => renderer.macro(...told)],
  ['ac:parameter', (renderer, ...told) => renderer.parameter(...told)],
  ['ac:default-parameter', (renderer, ...told) => renderer.parameter(...told)],
  ['ac:rich-text-body', (renderer, name) => renderer.richBody(name)],
  ['ac:plain-text-body', (renderer, name) => renderer.plainBody(name)],
  ['ac:layout', block('div')],
  ['ac:layout-section', block('div')],
  ['ac:layout-cell', block('div')],
  ['ac:caption', block('div')],
  ['ac:task-list', block('ul')],
  ['ac:task', block('li')],
  ['ac:task-id', muted],
  ['ac:task-uuid', muted],
  ['ac:task-status', (renderer, name) => renderer.taskStatus(name)],
  ['ac:placeholder', muted],
  ['ac:link', (renderer, ...told) => renderer.link(...told)],
  ['ac:image', (renderer, ...told) => renderer.image(...told)],
  ['ac:emoticon', (renderer, ...told) => renderer.emoticon(...told)],
  ['ac:adf-extension', (renderer, name) => renderer.extension(name)],
  ['ac:adf-leaf', (renderer, name) => renderer.extension(name)],
  ['ac:adf-node', (renderer, ...told) => renderer.node(...told)],
  ['ac:adf-content', (renderer, name) => renderer.alternative(name)],
  ['ac:adf-fallback', (renderer, name) => renderer.alternative(name)],
  ['ac:adf-attribute', (renderer, ...told) => renderer.attribute(...told)],
])

const NODE_TAGS = new Map([
  ['decision-list', 'ul'],
  ['decision-item', 'li'],
])
const LOST: ReadonlySet<string> = new Set(['foreign', 'conditional'])
/** Names are an author's word: more or longer ones say nothing. */
const LONGEST_NAME = 100
const MOST_NAMES = 50

function hrefOf(target: Target | null): string | null {
  if (target?.kind === 'text') return target.href
  return target?.kind === 'url' && /^(?:https?|mailto|ftp|tel):/i.test(target.url.trim()) ? target.url : null
}
