import type { ElementMetadata, ElementType } from '../../document.ts'
import { refuseMoreParts } from '../limits.ts'
import { emojiText, type Image, readImage } from './image.ts'
import { type Attributes, type MarkupHandler, readMarkup } from './markup.ts'
import { type Link, RunningText } from './running-text.ts'
import { isNarrative } from './sentence.ts'
import { TableRows } from './table.ts'
import { isLeftOut } from './visible.ts'

/** What a page is made of, in the order of reading; `depth` is a heading's level or how many lists an item stands in. */
export type Block = {
  type: ElementType
  text: string
  depth?: number
  links: Link[]
  metadata?: Partial<ElementMetadata>
}

export function readBlocks(html: string, page: { filename: string; url: string | undefined }): Block[] {
  const reader = new BlockReader(page)
  readMarkup(html, reader)
  return reader.finish()
}

/**
 * Follows the tags of a page and cuts it into blocks. Text runs on until a tag that starts a new block; inside
 * a list item paragraphs are lines of the one item; inside a table everything belongs to a cell, tables inside
 * tables included. All state is counters and flags, so no depth of nesting costs more than any other.
 */
class BlockReader implements MarkupHandler {
  readonly #page: { filename: string; url: string | undefined }
  readonly #running: RunningText
  readonly #blocks: Block[] = []
  #parts = 0
  #images: Image[] = []
  /** Tags open inside the one that is left out. */
  #leftOut = 0
  #heading = 0
  #lists = 0
  #items = 0
  #code = 0
  readonly #times: { visible: number; written: string }[] = []

  #tables = 0
  #rows = new TableRows()
  #cell: { name: string; attributes: Attributes } | null = null
  #tableLinks: Link[] = []

  constructor(page: { filename: string; url: string | undefined }) {
    this.#page = page
    this.#running = new RunningText(page.url)
  }

  finish(): Block[] {
    this.#flush()
    return this.#blocks
  }

  text(data: string): void {
    if (this.#leftOut === 0) this.#running.add(data)
  }

  open(name: string, attributes: Attributes): void {
    if (this.#leftOut > 0 || isLeftOut(name, attributes)) {
      this.#leftOut++
      return
    }
    if (this.#openInline(name, attributes)) return
    if (this.#tables > 0) this.#openInTable(name, attributes)
    else this.#openBlock(name)
  }

  close(name: string): void {
    if (this.#leftOut > 0) {
      this.#leftOut--
      return
    }
    if (name === 'a') this.#running.closeLink()
    else if (name === 'time') this.#closeTime()
    else if (this.#tables > 0) this.#closeInTable(name)
    else this.#closeBlock(name)
  }

  #openInline(name: string, attributes: Attributes): boolean {
    if (name === 'a') this.#running.openLink(attributes.href)
    else if (name === 'br') this.#running.break()
    else if (name === 'img') this.#image(attributes)
    else if (name === 'time') {
      this.#times.push({ visible: this.#running.visiblePieces, written: attributes.datetime ?? '' })
    } else if (name === 'span' && LOZENGE.test(attributes.class ?? '')) this.#running.add(' ')
    else return false
    return true
  }

  /** A date whose text the wiki left to the browser still says when. */
  #closeTime(): void {
    const time = this.#times.pop()
    if (time && time.visible === this.#running.visiblePieces) this.#running.add(time.written)
  }

  #image(attributes: Attributes): void {
    const emoji = emojiText(attributes)
    if (emoji !== null) {
      this.#running.add(emoji)
      return
    }
    const image = readImage(attributes, this.#page.url)
    if (!image) return
    if (this.#tables > 0) this.#running.add(` ${image.text} `)
    // A picture in the middle of a sentence does not cut it in two: it follows the block it stands in.
    else this.#images.push(image)
  }

  #openBlock(name: string): void {
    const level = headingLevel(name)
    if (level > 0) {
      this.#flush()
      this.#heading = level
    } else if (name === 'table') {
      this.#flush()
      this.#tables = 1
      this.#rows = new TableRows()
    } else if (name === 'pre') {
      this.#flush()
      this.#code++
    } else if (LISTS.has(name)) {
      this.#flush()
      this.#lists++
    } else if (LIST_ITEMS.has(name)) {
      this.#flush()
      this.#items++
    } else if (BREAKING.has(name)) this.#boundary(name)
  }

  #closeBlock(name: string): void {
    if (headingLevel(name) > 0) {
      this.#flush()
      this.#heading = 0
    } else if (name === 'pre') {
      this.#flush()
      this.#code--
    } else if (LISTS.has(name)) {
      this.#flush()
      this.#lists--
    } else if (LIST_ITEMS.has(name)) {
      this.#flush()
      this.#items--
    } else if (BREAKING.has(name)) this.#boundary(name)
  }

  #boundary(name: string): void {
    const runsOn = this.#code > 0 || this.#heading > 0 || (this.#items > 0 && LINES_OF_AN_ITEM.has(name))
    if (runsOn) this.#running.break()
    else this.#flush()
  }

  #openInTable(name: string, attributes: Attributes): void {
    if (name === 'table') this.#tables++
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
    const { text, links } = this.#running.take()
    refuseMoreParts(++this.#parts, this.#page.filename)
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
  }

  /** A caption, or text between cells, which a browser shows before the table. */
  #flushStray(): void {
    const { text, links } = this.#running.take()
    if (text !== '')
      this.#push({ type: isNarrative(text) ? 'NarrativeText' : 'UncategorizedText', text, links })
  }

  #flush(): void {
    const isCode = this.#code > 0 && this.#heading === 0
    const { text, links } = isCode ? this.#running.takeCode() : this.#running.take()
    if (text !== '') this.#push({ ...this.#kind(text), text, links })
    for (const { text: alt, metadata } of this.#images) {
      this.#push({ type: 'Image', text: alt, links: [], metadata })
    }
    if (this.#images.length > 0) this.#images = []
  }

  #kind(text: string): Pick<Block, 'type' | 'depth'> {
    if (this.#heading > 0) return { type: 'Title', depth: this.#heading }
    if (this.#code > 0) return { type: 'CodeSnippet' }
    if (this.#items > 0) return { type: 'ListItem', depth: Math.max(1, this.#lists) }
    return { type: isNarrative(text) ? 'NarrativeText' : 'UncategorizedText' }
  }

  #push(block: Block): void {
    refuseMoreParts(++this.#parts, this.#page.filename)
    this.#blocks.push(block)
  }
}

function headingLevel(name: string): number {
  return name.length === 2 && name >= 'h1' && name <= 'h6' ? Number(name[1]) : 0
}

function isBlockTag(name: string): boolean {
  return (
    BREAKING.has(name) || LISTS.has(name) || LIST_ITEMS.has(name) || name === 'pre' || headingLevel(name) > 0
  )
}

const LISTS = new Set(['ul', 'ol', 'dl', 'menu'])
const LIST_ITEMS = new Set(['li', 'dt', 'dd'])
const LINES_OF_AN_ITEM = new Set(['p', 'div', 'section'])
const BREAKING = new Set(
  (
    'address article aside blockquote body caption details dialog div fieldset figcaption figure footer form ' +
    'header hgroup hr html legend main nav p section summary table tbody td tfoot th thead tr'
  ).split(' '),
)
/** Labels that stand apart on the page although nothing in the markup separates them. */
const LOZENGE = /(?:^|\s)(?:status-macro|aui-lozenge|aui-label)(?:\s|$)/
