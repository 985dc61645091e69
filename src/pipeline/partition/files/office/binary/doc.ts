import { openCompoundFile } from '../../../../../filetype/compound-file.ts'
import { refuseTooManyParts } from '../../../../limits.ts'
import { blocksOf } from '../../paged.ts'
import type { ReadFile } from '../../reading-file.ts'
import { parsed, passwordProtected } from '../../refusals.ts'
import { oldVersion } from './reasons.ts'
import { openWordFile, type WordFile } from './word-file.ts'
import { createInline } from './word-inline.ts'
import { readLists } from './word-lists.ts'
import { readStyles } from './word-styles.ts'
import { type WordRow, wordTableHtml } from './word-tables.ts'
import { openWordText, type WordParagraph } from './word-text.ts'

/** A Word document of 1997 to 2003: text, headings, lists, tables and notes. */
export const readDoc: ReadFile = async (file) => {
  const { bytes, filename } = file
  return parsed(filename, 'not a readable document', () => {
    const opened = openWordFile(openCompoundFile(bytes))
    if (opened === 'old') throw oldVersion(filename, 'Word 95 or older')
    if (opened === 'password') throw passwordProtected(filename)
    return { blocks: blocksOf([{ html: htmlOf(opened, filename) }], file), warnings: [] }
  })
}

function htmlOf(file: WordFile, filename: string): string {
  const { text, footnotes, endnotes, textBoxes } = file.stories
  const paragraphsOf = openWordText(file)
  const convert = createConverter(file)
  const parts = [...convert(paragraphsOf(text), filename), ...convert(paragraphsOf(textBoxes), filename)]
  const notes = [...paragraphsOf(footnotes), ...paragraphsOf(endnotes)].map(({ text: note }) => note)
  if (notes.some(hasText)) parts.push(`<ol>${notesHtml(notes)}</ol>`)
  return parts.join('')
}

/** A note starts with its reference mark. */
function notesHtml(notes: string[]): string {
  const inline = createInline()
  const items: string[] = []
  for (const note of notes.filter(hasText)) {
    if (note.startsWith('\x02') || items.length === 0) items.push('')
    items[items.length - 1] += `<p>${inline(note.replaceAll('\x02', ''))}</p>`
  }
  return items.map((item) => `<li>${item}</li>`).join('')
}

function createConverter(file: WordFile) {
  const styleOf = readStyles(file)
  const openItem = readLists(file)
  const inline = createInline()

  function blockHtml({ text, style, properties: own }: WordParagraph): string {
    const html = inline(text)
    if (!hasText(text)) return ''
    const { heading, properties } = styleOf(style)
    const { outlineLevel, list, listLevel = 0 } = { ...properties, ...own }
    const level = heading ?? (outlineLevel !== undefined && outlineLevel < 9 ? outlineLevel + 1 : null)
    if (level) return `<h${Math.min(6, level)}>${html}</h${Math.min(6, level)}>`
    if (!list || list < 0 || list > 2000) return `<p>${html}</p>`
    const { open, close } = openItem(list, listLevel)
    return `${open}${html}${close}`
  }

  /** A cell ends with its own mark, a row with a paragraph that says so. */
  return function convert(paragraphs: Iterable<WordParagraph>, filename: string): string[] {
    const parts: string[] = []
    let rows: WordRow[] = []
    let cells: string[] = []
    let lines: string[] = []
    const endTable = () => {
      if (cells.length + lines.length > 0)
        rows.push({
          cells: [...cells, ...(lines.length > 0 ? [lines.join('<br>')] : [])],
          edges: [],
          isHeader: false,
        })
      if (rows.length > 0) parts.push(wordTableHtml(rows))
      rows = []
      cells = []
      lines = []
    }
    for (const paragraph of paragraphs) {
      refuseTooManyParts(parts.length, filename)
      const { text, mark, properties } = paragraph
      const { tableDepth = 0, isRowEnd, cells: edges = [], isHeaderRow = false } = properties
      if (tableDepth === 0 && mark !== '\x07') {
        endTable()
        parts.push(blockHtml(paragraph))
      } else if (tableDepth <= 1 && isRowEnd) {
        rows.push({ cells, edges, isHeader: isHeaderRow })
        cells = []
        lines = []
      } else {
        if (hasText(text)) lines.push(inline(text))
        if (mark !== '\x07' || tableDepth > 1) continue
        cells.push(lines.join('<br>'))
        lines = []
      }
    }
    endTable()
    return parts.filter((part) => part !== '')
  }
}

function hasText(text: string): boolean {
  return /[^\s\p{Cc}]/u.test(text)
}
