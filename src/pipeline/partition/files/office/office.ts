import type { OfficeContentNode, SupportedFileType } from 'officeparser'
import { cellHtml } from '../../table.ts'
import { packArchive, unpack } from '../archive.ts'
import { blocksOf, type HtmlPart } from '../paged.ts'
import type { FileToRead, ReadFile } from '../reading-file.ts'
import { parsed } from '../refusals.ts'
import { rewrite, withoutHiddenPages, withoutHiddenSpans } from './hidden.ts'
import { withoutHiddenRtf } from './hidden-rtf.ts'
import { sheetBlocks } from './xlsx.ts'

const FORMATS = new Map<string, SupportedFileType>([
  ['application/rtf', 'rtf'],
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
  ['application/vnd.oasis.opendocument.presentation', 'odp'],
])

/** OpenDocument and RTF, by one library; only slides and sheets have page numbers. */
export const readOffice: ReadFile = async (file) => {
  const { OfficeParser } = await import('officeparser')
  const fileType = FORMATS.get(file.filetype.replace(/-template$/, '')) ?? 'rtf'
  const bytes = fileType === 'rtf' ? withoutHiddenRichText(file) : withoutHidden(file)
  const { content } = await parsed(file.filename, 'not a readable document', () =>
    OfficeParser.parseOffice(bytes, { fileType, ignoreComments: true }),
  )
  if (fileType === 'ods')
    return { blocks: sheetBlocks(content.filter(isSheet).map(sheetOf), file), warnings: [] }
  return { blocks: blocksOf(partsOf(content), file), warnings: [] }
}

function withoutHidden(file: FileToRead): Buffer {
  const parts = unpack(file, isText)
  rewrite(parts, 'content.xml', (xml) => withoutListsInCells(withoutHiddenSpans(withoutHiddenPages(xml))))
  return packArchive(parts)
}

/** The library skips lists in cells. Without their tags, their items are paragraphs of the cell. */
function withoutListsInCells(xml: string): string {
  let cells = 0
  return xml.replaceAll(CELL_AND_LIST_TAGS, (tag, slash: string, name: string) => {
    if (name !== 'table:table-cell') return cells > 0 ? '' : tag
    if (!tag.endsWith('/>')) cells += slash ? -1 : 1
    return tag
  })
}
const CELL_AND_LIST_TAGS = /<(\/?)(table:table-cell|text:list(?:-item|-header)?)(?:\s[^<>]*)?\/?>/g

/** RTF is ASCII; other bytes keep their place. */
function withoutHiddenRichText({ bytes }: FileToRead): Buffer {
  const rtf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return Buffer.from(withPlainSymbols(withoutHiddenRtf(rtf)), 'latin1')
}

/** The library takes spaces and hyphens that do not break for letters. A group ends the control word before them. */
function withPlainSymbols(rtf: string): string {
  return rtf.replaceAll(/\\[\\~_]/g, (token) => (token === '\\~' ? '{ }' : token === '\\_' ? '{-}' : token))
}

function isText(name: string): boolean {
  return !/^(Pictures|Thumbnails|Object|media)/.test(name)
}

function isSheet({ type }: OfficeContentNode): boolean {
  return type === 'sheet'
}

function sheetOf(node: OfficeContentNode, index: number): { name: string; rows: string[][] } {
  const name = (node.metadata as { sheetName?: string } | undefined)?.sheetName ?? `Sheet ${index + 1}`
  return { name, rows: (node.children ?? []).map(({ children = [] }) => children.map(textOf)) }
}

function partsOf(content: OfficeContentNode[]): HtmlPart[] {
  const slides = content.filter(({ type }) => type === 'slide')
  if (slides.length === 0) return [{ html: content.map(htmlOf).join('') + footnotesHtml(content) }]
  return slides.map(({ children = [], notes = [] }, index) => ({
    html: [...slideHtml(children), ...notes.flatMap(({ children: nodes = [] }) => nodes.map(htmlOf))].join(
      '',
    ),
    metadata: { page_number: index + 1 },
  }))
}

/** A slide's title is text outside lists, and may come after them. */
function slideHtml(children: OfficeContentNode[]): string[] {
  const title = children.find(
    ({ type, text }) => (type === 'paragraph' || type === 'heading') && text?.trim(),
  )
  const rest = children.filter((child) => child !== title).map(htmlOf)
  return title ? [`<h1>${cellHtml(textOf(title))}</h1>`, ...rest] : rest
}

function htmlOf(node: OfficeContentNode): string {
  const { type, children = [], metadata } = node
  switch (type) {
    case 'heading':
      return isHeading(node) ? headingHtml(node) : `<p>${inline(node)}</p>`
    case 'list': {
      // Headings that a list numbers.
      if (levelOf(node) !== undefined) return headingHtml(node)
      const depth = Math.min(9, ((metadata as { indentation?: number } | undefined)?.indentation ?? 0) + 1)
      return `${'<ul>'.repeat(depth)}<li>${inline(node)}</li>${'</ul>'.repeat(depth)}`
    }
    case 'table':
      return `<table>${children.map(htmlOf).join('')}</table>`
    case 'row':
      return `<tr>${children.map(htmlOf).join('')}</tr>`
    case 'cell': {
      const { style, colSpan, rowSpan } = (metadata ?? {}) as {
        style?: string
        colSpan?: number
        rowSpan?: number
      }
      const tag = style === 'header' ? 'th' : 'td'
      const spans = `${colSpan ? ` colspan="${colSpan}"` : ''}${rowSpan ? ` rowspan="${rowSpan}"` : ''}`
      return `<${tag}${spans}>${cellHtml(textOf(node))}</${tag}>`
    }
    case 'image':
    case 'chart':
    case 'drawing':
      return ''
    default: {
      // A text box is a paragraph inside another.
      const boxes = children.filter((child) => child.type === 'paragraph')
      const rest = children.filter((child) => child.type !== 'paragraph')
      return `${boxes.map(htmlOf).join('')}<p>${inline(boxes.length > 0 ? { ...node, children: rest } : node)}</p>`
    }
  }
}

/** The library takes the first run of an RTF for a mark of a heading, even a bold tab before plain text. */
function isHeading({ children = [] }: OfficeContentNode): boolean {
  const [first] = children
  const isBlank = ({ text = '' }: OfficeContentNode) => text.trim() === ''
  if (first?.type !== 'text' || !first.formatting?.bold || !isBlank(first)) return true
  return children.find((child) => !isBlank(child))?.formatting?.bold === true
}

function headingHtml(node: OfficeContentNode): string {
  const level = Math.min(6, Math.max(1, levelOf(node) ?? 1))
  return `<h${level}>${inline(node)}</h${level}>`
}

function levelOf({ metadata }: OfficeContentNode): number | undefined {
  return (metadata as { level?: number } | undefined)?.level
}

/** Footnotes belong to the text that refers to them. */
function footnotesHtml(content: OfficeContentNode[]): string {
  const notes = content.flatMap(({ children = [] }) => children.flatMap((child) => child.notes ?? []))
  const items = notes.map((note) => `<li>${cellHtml(textOf(note))}</li>`)
  return items.length > 0 ? `<ol>${items.join('')}</ol>` : ''
}

/** Text with links; other formatting is irrelevant to search. */
function inline(node: OfficeContentNode): string {
  const { type, children = [], text = '' } = node
  if (type === 'break') return '<br/>'
  if (children.length === 0) return addLink(node, cellHtml(text))
  return children
    .map((child) => (child.type === 'text' ? addLink(child, cellHtml(child.text ?? '')) : inline(child)))
    .join('')
}

function addLink({ metadata }: OfficeContentNode, html: string): string {
  const { link, linkType } = (metadata ?? {}) as { link?: string; linkType?: string }
  return link && linkType !== 'internal'
    ? `<a href="${cellHtml(link).replaceAll('"', '&quot;')}">${html}</a>`
    : html
}

function textOf({ text, children = [] }: OfficeContentNode): string {
  return text ?? children.map(textOf).join('\n')
}
