import type { ElementMetadata } from '../../../document.ts'
import { type Block, readBlocks } from '../blocks.ts'
import { cellHtml } from '../table.ts'

export type HtmlPart = { html: string; metadata?: Partial<ElementMetadata> }

/** Blocks of formats that convert to HTML; each part is a page, slide or sheet. */
export function blocksOf(parts: HtmlPart[], file: { filename: string; url: string }): Block[] {
  return parts.flatMap(({ html, metadata }) => {
    const blocks = readBlocks(html, { filename: file.filename, url: file.url || undefined })
    return metadata
      ? blocks.map((block) => ({ ...block, metadata: { ...metadata, ...block.metadata } }))
      : blocks
  })
}

/** A sheet as a table; the first row is the header if it holds only names. */
export function sheetHtml(rows: string[][]): string {
  const width = rows.reduce(
    (widest, row) => Math.max(widest, row.findLastIndex((cell) => cell !== '') + 1),
    0,
  )
  const filled = rows.filter((row) => row.some((cell) => cell !== ''))
  const [first = [], ...rest] = filled
  const isHeader = rest.length > 0 && first.length >= width && first.slice(0, width).every(isName)
  const row = (cells: string[], tag: string) =>
    `<tr>${cells
      .slice(0, width)
      .map((cell) => `<${tag}>${cellHtml(cell)}</${tag}>`)
      .join('')}</tr>`
  const lines = filled.map((cells, index) => row(cells, isHeader && index === 0 ? 'th' : 'td'))
  return `<table>${lines.join('')}</table>`
}

function isName(cell: string): boolean {
  return cell !== '' && !/^[\d\s.,:%€$£+-]+$/.test(cell)
}
