import type { Block } from '../../blocks.ts'
import type { Strategy } from '../reading-file.ts'
import { itemMetadata } from './item-metadata.ts'
import type { Page, Row } from './page.ts'
import { type FontSizes, paragraphsOf, sizesOf } from './paragraphs.ts'
import { inReadingOrder, rowsOf } from './rows.ts'
import { runningHeads } from './running-heads.ts'
import { alignedTables, type FoundTable, ruledTables } from './tables.ts'

type PageRows = { page: Page; rows: Row[]; tables: FoundTable[] }

/** Turns pages into blocks, with page number and strategy. */
export function pageBlocks(pages: Page[], { strategy }: { strategy: Strategy }): Block[] {
  const pageRows = pages.map((page): PageRows => {
    const tables = ruledTables(page)
    const isOutsideTables = (item: Page['items'][number]) => !tables.some(({ items }) => items.has(item))
    return { page, tables, rows: rowsOf(page.items.filter(isOutsideTables)) }
  })
  const heads = runningHeads(pageRows)
  const allRows = (scanned: boolean) =>
    pageRows.filter(({ page }) => (page.scanned === true) === scanned).flatMap(({ rows }) => rows)
  const textSizes = sizesOf(allRows(false), 'text')
  const ocrSizes = sizesOf(allRows(true), 'ocr')
  return pageRows.flatMap(({ page, rows, tables }, index) => {
    const { header, footer } = heads[index]!
    const body = rows.filter((row) => !header.has(row) && !footer.has(row))
    const sizes = page.scanned ? ocrSizes : textSizes
    const blocks = [
      ...[...header].map((row) => headBlock('Header', row)),
      ...bodyBlocks({ page, tables, rows: body }, { sizes, aligned: strategy === 'hi_res' }),
      ...[...footer].map((row) => headBlock('Footer', row)),
    ]
    const partitionerType = page.scanned || strategy === 'hi_res' ? 'hi_res' : 'fast'
    const metadata = { page_number: page.number, partitioner_type: partitionerType }
    return blocks.map((block) => ({ ...block, metadata: { ...metadata, ...block.metadata } }))
  })
}

function headBlock(type: 'Header' | 'Footer', { segments }: Row): Block {
  const text = segments.map((segment) => segment.text.trim()).join(' ')
  return { type, text, links: [], ...itemMetadata(segments.flatMap(({ items }) => items)) }
}

/** Text above a table, the table, then text below; a table interrupts columns. */
function bodyBlocks(
  { rows, tables, page }: PageRows,
  { sizes, aligned }: { sizes: FontSizes; aligned: boolean },
): Block[] {
  const blocks: Block[] = []
  let rest = rows
  for (const { box, block } of tables.toSorted((a, b) => a.box.top - b.box.top)) {
    blocks.push(
      ...textBlocks(
        rest.filter(({ y }) => y <= box.top),
        { sizes, aligned, page },
      ),
      block,
    )
    rest = rest.filter(({ y }) => y > box.top)
  }
  return [...blocks, ...textBlocks(rest, { sizes, aligned, page })]
}

function textBlocks(
  rows: Row[],
  { sizes, aligned, page }: { sizes: FontSizes; aligned: boolean; page: Page },
): Block[] {
  const blocks: Block[] = []
  let rest = inReadingOrder(rows)
  // Columns of prose are already in order, so rows still side by side form a table.
  for (const table of aligned ? alignedTables(rest) : []) {
    const at = rest.findIndex((row) => table.rows.has(row))
    blocks.push(...paragraphsOf(rest.slice(0, at), sizes, page.links), table.block)
    rest = rest.slice(at + table.rows.size)
  }
  return [...blocks, ...paragraphsOf(rest, sizes, page.links)]
}
