import type { ElementMetadata, ElementType } from '../../document.ts'
import { refuseTooManyParts } from '../limits.ts'
import { codeHtml, codeLanguage } from './code-language.ts'
import { emojiText } from './emoji.ts'
import { type Image, readImage } from './image.ts'
import { type ListNumbers, listNumbers, nextNumber } from './list-numbers.ts'
import { type Attributes, endsAsInline, INLINE, type MarkupHandler, readMarkup } from './markup.ts'
import { RunningText, type TextLink } from './running-text.ts'
import { textType } from './sentence.ts'
import { TableRows } from './table.ts'
import {
  BREAKING_TAGS,
  headingLevel,
  ITEM_LINE_TAGS,
  isBlockTag,
  isDateLabel,
  isLabel,
  LIST_ITEM_TAGS,
  LIST_TAGS,
  needsSpaceBefore,
} from './tags.ts'
import { isBlockByStyle, isSkipped, isTypedFormula, MAX_ATTRIBUTE_LENGTH } from './visible.ts'

/** A part of a page; `depth` is a heading's level or an item's list depth. */
export type Block = {
  type: ElementType
  text: string
  depth?: number
  links: TextLink[]
  metadata?: Partial<ElementMetadata>
}

export function readBlocks(html: string, page: { filename: string; url: string | undefined }): Block[] {
  const reader = new BlockReader(page)
  readMarkup(html, reader)
  return reader.finish()
}

/**
 * Cuts a page into blocks. An item's paragraphs become lines; a table's content goes to its cells. Keeps only
 * counters and flags, so deep nesting needs no memory.
 */
class BlockReader implements MarkupHandler {
  readonly #page: { filename: string; url: string | undefined }
  readonly #running: RunningText
  readonly #blocks: Block[] = []
  #parts = 0
  #images: (Image & { link: string | null })[] = []
  /** Tags open inside the skipped one. */
  #skipped = 0
  #heading = 0
  #lists = 0
  #items = 0
  /** The numbers of each open list. */
  readonly #numbers: (ListNumbers | null)[] = []
  #captions = 0
  #code = 0
  #language: string | undefined
  #script = false
  /** How each open inline tag separates its text. */
  readonly #inlines: ('block' | 'label' | '')[] = []
  /** Whether the formula's source text has been read, so that its drawn form is skipped. */
  #formulaRead = false
  readonly #times: { visible: number; fallback: string; isLabel: boolean }[] = []

  #tables = 0
  #rows = new TableRows()
  #cell: { name: string; attributes: Attributes } | null = null
  #tableLinks: TextLink[] = []

  constructor(page: { filename: string; url: string | undefined }) {
    this.#page = page
    this.#running = new RunningText(page.url)
  }

  finish(): Block[] {
    this.#flush()
    return this.#blocks
  }

  text(data: string): void {
    if (this.#skipped > 0) return
    const text = this.#script ? data.replaceAll(CDATA, '') : data
    if (this.#code === 0) this.#running.add(text)
    else if (this.#tables > 0) this.#running.addLines(text)
    else this.#running.addUnmarked(text)
  }

  open(tag: string, attributes: Attributes): void {
    const name = tag === 'script' ? 'pre' : tag
    if (this.#skipped > 0 || isSkipped(tag, attributes) || this.#isDuplicateFormula(attributes)) {
      if (this.#skipped === 0 && isCheckbox(tag, attributes) && this.#numbers.length > 0)
        this.#running.mark(taskMark(attributes.checked !== undefined))
      this.#skipped++
      return
    }
    this.#script = tag === 'script'
    if (endsAsInline(name)) this.#openAnyInline(name, attributes)
    if (this.#openInline(name, attributes)) return
    if (this.#tables > 0) this.#openInTable(name, attributes)
    else this.#openBlock(name, attributes)
    if (LIST_TAGS.has(name)) this.#numbers.push(listNumbers(name, attributes))
    else if (LIST_ITEM_TAGS.has(name)) this.#running.mark(this.#markOf(name, attributes))
    else if (name === 'table') this.#running.mark('')
  }

  close(tag: string): void {
    if (this.#skipped > 0) {
      this.#skipped--
      return
    }
    const name = tag === 'script' ? 'pre' : tag
    this.#script = false
    if (name === INLINE) {
      const kind = this.#inlines.pop()
      if (kind === 'block') this.#line()
      else if (kind === 'label') this.#running.endLabel()
    } else if (name === 'a') this.#running.closeLink()
    else if (name === 'time') this.#closeTime()
    else if (name === 'math') this.#formulaRead = true
    else if (name === 'svg') this.#running.add(' ')
    else if (this.#tables > 0) this.#closeInTable(name)
    else this.#closeBlock(name)
    if (LIST_TAGS.has(name)) this.#numbers.pop()
    else if (LIST_ITEM_TAGS.has(name)) this.#running.mark('')
  }

  /** The number of an item, or the state of a task. */
  #markOf(name: string, attributes: Attributes): string {
    const numbers = this.#numbers.at(-1)
    const number = name === 'li' && numbers ? nextNumber(numbers, attributes) : ''
    if (attributes['data-inline-task-id'] === undefined) return number
    return taskMark(/(?:^|\s)checked(?:\s|$)/.test(attributes.class?.slice(0, MAX_ATTRIBUTE_LENGTH) ?? ''))
  }

  #openInline(name: string, attributes: Attributes): boolean {
    if (name === 'a') this.#running.startLink(attributes.href)
    else if (name === 'br') this.#running.break()
    else if (name === 'img') this.#image(attributes)
    else if (name === 'time') {
      const isLabel = isDateLabel(attributes)
      if (isLabel) this.#running.startLabel()
      const { datetime: fallback = '' } = attributes
      this.#times.push({ visible: this.#running.visiblePieces, fallback, isLabel })
    } else if (name === 'math') this.#running.openFormula()
    else if (isTypedFormula(name, attributes)) this.#running.restartFormula()
    else if (needsSpaceBefore(name, attributes)) this.#running.add(' ')
    else if (name === 'code' && this.#code > 0) this.#language ??= codeLanguage(attributes)
    else return false
    return true
  }

  #openAnyInline(name: string, attributes: Attributes): void {
    const isBlock = isBlockByStyle(attributes)
    this.#inlines.push(isBlock ? 'block' : isLabel(name, attributes) ? 'label' : '')
    if (isBlock) this.#line()
    if (attributes.class === 'katex') this.#formulaRead = false
  }

  /** KaTeX writes a formula as MathML and as drawn text; only one is read. */
  #isDuplicateFormula(attributes: Attributes): boolean {
    return attributes.class === 'katex-html' && this.#formulaRead
  }

  #line(): void {
    if (this.#tables > 0) this.#running.break()
    else this.#boundary('div')
  }

  /** Falls back to `datetime` if the element has no text. */
  #closeTime(): void {
    const time = this.#times.pop()
    if (time && time.visible === this.#running.visiblePieces) this.#running.add(time.fallback)
    if (time?.isLabel) this.#running.endLabel()
  }

  #image(attributes: Attributes): void {
    const emoji = emojiText(attributes)
    if (emoji !== null) {
      this.#running.add(emoji)
      return
    }
    const inCell = this.#tables > 0
    const image = readImage(attributes, { url: this.#page.url, inCell })
    if (!image) return
    if (inCell) this.#running.add(` ${image.text} `)
    const isCellText = inCell && image.text !== '' && image.metadata.image_base64 === undefined
    // A picture follows its block instead of splitting the sentence.
    if (!isCellText) this.#images.push({ ...image, link: this.#running.openLink })
  }

  #openBlock(name: string, attributes: Attributes): void {
    const level = headingLevel(name)
    if (level > 0) {
      this.#flush()
      this.#heading = level
    } else if (name === 'table' && !PANEL.test(attributes.class ?? '')) {
      this.#flush()
      this.#tables = 1
      this.#rows = new TableRows()
    } else if (name === 'pre') {
      this.#flush()
      this.#code++
      this.#language = codeLanguage(attributes)
    } else if (LIST_TAGS.has(name)) {
      this.#flush()
      this.#lists++
    } else if (LIST_ITEM_TAGS.has(name)) {
      this.#flush()
      this.#items++
    } else if (BREAKING_TAGS.has(name)) this.#boundary(name)
    if (name === 'figcaption') this.#captions++
  }

  #closeBlock(name: string): void {
    if (headingLevel(name) > 0) {
      this.#flush()
      this.#heading = 0
    } else if (name === 'pre') {
      this.#flush()
      this.#code--
    } else if (LIST_TAGS.has(name)) {
      this.#flush()
      this.#lists--
    } else if (LIST_ITEM_TAGS.has(name)) {
      this.#flush()
      this.#items--
    } else if (BREAKING_TAGS.has(name)) this.#boundary(name)
    if (name === 'figcaption') this.#captions--
  }

  #boundary(name: string): void {
    const staysInBlock = this.#code > 0 || this.#heading > 0 || (this.#items > 0 && ITEM_LINE_TAGS.has(name))
    if (staysInBlock) this.#running.break()
    else this.#flush()
  }

  #openInTable(name: string, attributes: Attributes): void {
    if (name === 'table') this.#tables++
    if (name === 'pre') this.#code++
    if (this.#tables > 1) {
      if (isBlockTag(name)) this.#running.break()
      return
    }
    if (name === 'td' || name === 'th') {
      this.#flushStray()
      this.#cell = { name, attributes }
    } else if (name === 'tr') this.#rows.endRow()
    else if (name === 'thead') this.#rows.head = true
    else if (isBlockTag(name)) this.#running.break()
  }

  #closeInTable(name: string): void {
    if (name === 'table') this.#tables--
    if (name === 'pre') this.#code--
    if (this.#tables === 0) {
      this.#flushStray()
      this.#table()
    } else if (this.#tables > 1 || this.#isTextOfCell(name)) {
      if (isBlockTag(name)) this.#running.break()
    } else if (name === 'td' || name === 'th') this.#endCell()
    else if (name === 'tr') this.#rows.endRow()
    else if (name === 'thead') this.#rows.head = false
    else if (name === 'caption') this.#flushStray()
  }

  #isTextOfCell(name: string): boolean {
    return name !== 'td' && name !== 'th' && this.#cell !== null
  }

  #endCell(): void {
    const { text, links } = this.#running.takeCell()
    refuseTooManyParts(++this.#parts, this.#page.filename)
    if (this.#cell) this.#rows.cell(this.#cell.name, this.#cell.attributes, text)
    for (const link of links) this.#tableLinks.push(link)
    this.#cell = null
  }

  #table(): void {
    const table = this.#rows.finish()
    if (table) {
      this.#push({
        type: 'Table',
        text: table.text,
        links: this.#tableLinks,
        metadata: { text_as_html: table.html },
      })
    }
    this.#tableLinks = []
    this.#flushImages()
  }

  /** A caption, or text between cells, which browsers show before the table. */
  #flushStray(): void {
    const { text, links } = this.#running.take()
    if (text !== '') this.#push({ type: textType(text), text, links })
  }

  #flush(): void {
    const isCode = this.#code > 0 && this.#heading === 0
    const { text, links } = isCode ? this.#running.takeCode() : this.#running.take()
    if (text !== '') this.#push({ ...this.#kind(text), text, links })
    this.#flushImages()
  }

  #flushImages(): void {
    for (const { text, name, link, metadata } of this.#images) {
      const links = link ? [{ url: link, text: name }] : []
      this.#push({ type: 'Image', text, links, metadata })
    }
    if (this.#images.length > 0) this.#images = []
  }

  #kind(text: string): Pick<Block, 'type' | 'depth' | 'metadata'> {
    if (this.#heading > 0) return { type: 'Title', depth: this.#heading }
    if (this.#code > 0) {
      const html = this.#language && codeHtml(text, this.#language)
      return { type: 'CodeSnippet', ...(html ? { metadata: { text_as_html: html } } : {}) }
    }
    if (this.#captions > 0) return { type: 'FigureCaption' }
    if (this.#items > 0) return { type: 'ListItem', depth: Math.max(1, this.#lists) }
    return { type: textType(text) }
  }

  #push(block: Block): void {
    refuseTooManyParts(++this.#parts, this.#page.filename)
    this.#blocks.push(block)
  }
}

function isCheckbox(name: string, { type }: Attributes): boolean {
  return name === 'input' && type?.toLowerCase() === 'checkbox'
}

function taskMark(isDone: boolean): string {
  return isDone ? '☑' : '☐'
}

/** Panels of old versions are tables with an icon and a text. */
const PANEL = /(?:^|\s)(?:info|note|warning|tip)Macro(?:\s|$)/
/** Surrounds code in a script tag for a highlighter. */
const CDATA = /<!\[CDATA\[|\]\]>/g
