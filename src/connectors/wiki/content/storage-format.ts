import { quoteAttribute } from './storage/entities.ts'
import { ExtensionFrames } from './storage/extension-frames.ts'
import { type Frame, Frames } from './storage/frames.ts'
import { endTag, isInvisible, startTag } from './storage/html-tags.ts'
import type { PageContext } from './storage/links.ts'
import { MacroFrames } from './storage/macro-frames.ts'
import { readStorage, type StorageAttributes, type StorageHandler } from './storage/reader.ts'
import { type NameOf, ReferenceFrames } from './storage/reference-frames.ts'
import type { Rendition } from './storage/rendition.ts'
import { TaskFrames } from './storage/task-frames.ts'

/**
 * Renders the page's own text as HTML, in linear time. Drops macro content from other pages or systems and
 * reports the macro's name.
 */
export function renderStorage(storage: string, page: PageContext, nameOf: NameOf): Rendition {
  const renderer = new Renderer(page, nameOf)
  readStorage(storage, renderer)
  return { parts: renderer.frames.writer.finish(), dropped: renderer.frames.dropped }
}

class Renderer implements StorageHandler {
  readonly frames = new Frames()
  readonly macros = new MacroFrames(this.frames)
  readonly extensions = new ExtensionFrames(this.frames, this.macros)
  readonly tasks = new TaskFrames(this.frames)
  readonly references: ReferenceFrames

  constructor(page: PageContext, nameOf: NameOf) {
    this.references = new ReferenceFrames(this.frames, page, nameOf)
  }

  text(html: string): void {
    this.frames.text(html)
  }

  open(name: string, attributes: StorageAttributes): void {
    this.frames.open(this.#frameFor(name, attributes))
  }

  close(): void {
    this.frames.close()
  }

  #frameFor(name: string, attributes: StorageAttributes): Frame {
    const { collecting } = this.frames
    const isResource = name.startsWith('ri:')
    if (collecting && isResource) collecting.label ||= this.references.labelOf(name, attributes)
    if (collecting && WORD_SEPARATORS.test(name)) collecting.pieces.push(' ')
    const isNested = name === 'ac:adf-parameter' && this.frames.innermost.startsWith('ac:adf-')
    if ((collecting && !isNested) || this.frames.isSkipping) return { name }
    const openElement = WIKI_ELEMENTS.get(name)
    if (openElement) return openElement(this, name, attributes)
    if (isResource) return this.references.resource(name, attributes)
    return name.includes(':') ? { name } : this.#html(name, attributes)
  }

  #html(name: string, attributes: StorageAttributes): Frame {
    if (isInvisible(name)) return { name, skips: true }
    if (name === 'img') return this.references.htmlImage(name, attributes)
    // The wiki shows a date in a box, and names it by whether it is past.
    this.frames.tag(startTag(name, name === 'time' ? { ...attributes, class: 'date-label' } : attributes))
    const end = endTag(name)
    const text = visibleText(name, attributes)
    if (!text) return { name, end }
    const { visible } = this.frames.writer
    return { name, end, onClose: () => this.frames.textIfNoneVisibleSince(visible, quoteAttribute(text)) }
  }
}

/** Elements that separate words. */
const WORD_SEPARATORS = /^(?:p|h[1-6]|table|tr|t[dh]|[uo]l|li|div|blockquote|pre|[bh]r)$/

/** The visible text of an empty element: a date, or the URL of a smart link. */
function visibleText(name: string, attributes: StorageAttributes): string | undefined {
  if (name === 'time') return formatDate(attributes.datetime ?? '')
  // The title of a smart link is not in the body.
  return name === 'a' && attributes['data-card-appearance'] !== undefined ? attributes.href : undefined
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** In the wiki's format: `04 Mar 2026`. */
function formatDate(datetime: string): string {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(datetime) ?? []
  const name = MONTHS[Number(month) - 1]
  return name ? `${day} ${name} ${year}` : datetime
}

type ElementOpener = (renderer: Renderer, name: string, attributes: StorageAttributes) => Frame

const block =
  (tag: string): ElementOpener =>
  ({ frames }, name) =>
    frames.block(name, tag)
const skipped: ElementOpener = (_renderer, name) => ({ name, skips: true })
const macro: ElementOpener = ({ macros }, ...element) => macros.macro(...element)
const parameter: ElementOpener = ({ macros }, ...element) => macros.parameter(...element)

/** The partitioner reads emoji in the wiki's own rendering. */
const emoticon: ElementOpener = ({ frames }, name, attributes) => {
  const emoji = attributes['ac:name']
  const attributesHtml = Object.entries({
    'data-emoji-fallback': attributes['ac:emoji-fallback'],
    'data-emoji-id': attributes['ac:emoji-id'],
    'data-emoticon-name': emoji,
    alt: attributes['ac:emoji-shortname'] ?? (emoji && `(${emoji})`),
  }).flatMap(([key, value]) => (value ? [` ${key}="${quoteAttribute(value)}"`] : []))
  frames.text(`<img class="emoticon"${attributesHtml.join('')}>`)
  return { name }
}

/** The wiki's own elements. Unlisted ones keep their content. */
const WIKI_ELEMENTS = new Map<string, ElementOpener>([
  ['ac:structured-macro', macro],
  ['ac:macro', macro],
  ['ac:parameter', parameter],
  ['ac:default-parameter', parameter],
  ['ac:rich-text-body', ({ macros }, name) => macros.richBody(name)],
  ['ac:plain-text-body', ({ macros }, name) => macros.plainBody(name)],
  ['ac:layout', block('div')],
  ['ac:layout-section', block('div')],
  ['ac:layout-cell', block('div')],
  ['ac:caption', block('figcaption')],
  ['ac:task-list', block('ul')],
  ['ac:task', ({ tasks }, name) => tasks.task(name)],
  ['ac:task-id', skipped],
  ['ac:task-uuid', skipped],
  ['ac:task-status', ({ tasks }, name) => tasks.status(name)],
  ['ac:task-body', ({ tasks }, name) => tasks.body(name)],
  ['ac:placeholder', skipped],
  ['ac:link', ({ references }, ...element) => references.link(...element)],
  ['ac:image', ({ references }, ...element) => references.image(...element)],
  ['ac:emoticon', emoticon],
  ['ac:adf-extension', ({ extensions }, name) => extensions.extension(name)],
  ['ac:adf-leaf', ({ extensions }, ...element) => extensions.leaf(...element)],
  ['ac:adf-node', ({ extensions }, ...element) => extensions.node(...element)],
  ['ac:adf-content', ({ extensions }, name) => extensions.content(name)],
  ['ac:adf-fallback', ({ extensions }, name) => extensions.fallback(name)],
  ['ac:adf-attribute', ({ extensions }, ...element) => extensions.attribute(...element)],
  ['ac:adf-parameter', ({ extensions }, ...element) => extensions.parameter(...element)],
  ['ac:adf-extension-frame', block('div')],
])
