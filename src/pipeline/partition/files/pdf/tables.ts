import type { Box } from '../../../../document.ts'
import type { Block } from '../../blocks.ts'
import { TableRows } from '../../table.ts'
import { itemMetadata } from './item-metadata.ts'
import type { Item, Page, Row, Rule } from './page.ts'
import { rowsOf } from './rows.ts'

/** Tolerance in points for lines that should meet. */
const TOLERANCE = 3

export type FoundTable = { block: Block; box: Box; items: Set<Item> }

/** Tables with ruled cells. Edges of backgrounds count only where lines form no table. */
export function ruledTables({ items, rules }: Page): FoundTable[] {
  const lined = tablesOf(
    items,
    rules.filter(({ ofSurface }) => !ofSurface),
  )
  const used = new Set(lined.flatMap((table) => [...table.items]))
  const others = items.filter((item) => !used.has(item))
  return [
    ...lined,
    ...tablesOf(others, rules).filter(({ box }) => !lined.some((each) => overlaps(each.box, box))),
  ]
}

function overlaps(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}

/** At least two columns, two rows and three filled cells. */
function tablesOf(items: Item[], rules: Rule[]): FoundTable[] {
  return connectedRules(rules).flatMap((group) => {
    const xs = distinctPositions(group.filter(({ vertical }) => vertical).map(({ x }) => x))
    const ys = distinctPositions(group.filter(({ vertical }) => !vertical).map(({ y }) => y))
    if (xs.length < 3 || ys.length < 3) return []
    const box = { left: xs[0]!, right: xs.at(-1)!, top: ys[0]!, bottom: ys.at(-1)! }
    const cells = ys.slice(1).map(() => xs.slice(1).map((): Item[] => []))
    const tableItems = new Set<Item>()
    for (const item of items) {
      const [x, y] = [item.x + Math.min(item.width, item.size) / 2, item.y - item.size / 3]
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue
      const row = ys.findLastIndex((at) => at <= y)
      const column = xs.findLastIndex((at) => at <= x)
      cells[Math.min(row, cells.length - 1)]?.[Math.min(column, xs.length - 2)]?.push(item)
      tableItems.add(item)
    }
    const texts = filledColumns(cells.map((row) => row.map(cellText)))
    if (texts.flat().filter((text) => text !== '').length < 3) return []
    return [{ block: tableBlock(texts, tableItems), box, items: tableItems }]
  })
}

/** Tables without lines: consecutive rows with equally many texts in separate columns. */
export function alignedTables(rows: Row[]): { block: Block; rows: Set<Row> }[] {
  const found: { block: Block; rows: Set<Row> }[] = []
  for (let start = 0; start < rows.length; ) {
    let end = start + 1
    while (end < rows.length && continuesTable(rows.slice(start, end), rows[end]!)) end++
    const run = rows.slice(start, end)
    const cells = run.map(({ segments }) => segments.map(({ text }) => text))
    // Two columns of prose look alike, but have long lines.
    const longest = cells.flat().reduce((max, text) => Math.max(max, text.length), 0)
    if (run.length >= 3 && (cells[0]?.length ?? 0) >= 2 && longest <= 60)
      found.push({ block: tableBlock(cells, itemsOf(run)), rows: new Set(run) })
    start = end
  }
  return found
}

function continuesTable(run: Row[], next: Row): boolean {
  const last = run.at(-1)
  if (!last || last.segments.length < 2 || next.segments.length !== last.segments.length) return false
  const size = last.segments[0]?.size ?? 10
  if (next.y - last.y > size * 3) return false
  return next.segments.every(({ x, right }, column) => {
    const left = Math.min(...run.map(({ segments }) => segments[column]?.x ?? 0))
    const end = Math.max(...run.map(({ segments }) => segments[column]?.right ?? 0))
    const after = Math.min(...run.map(({ segments }) => segments[column + 1]?.x ?? Infinity))
    const before = Math.max(...run.map(({ segments }) => segments[column - 1]?.right ?? -Infinity))
    return x < end && right > left && right < after && x > before
  })
}

/** Lines that touch, directly or through others. */
function connectedRules(rules: Rule[]): Rule[][] {
  const parents = rules.map((_, index) => index)
  const find = (at: number): number => {
    let root = at
    while (parents[root] !== root) root = parents[root]!
    parents[at] = root
    return root
  }
  const horizontals = rules.flatMap((rule, index) => (rule.vertical ? [] : [index]))
  for (const [index, rule] of rules.entries()) {
    if (!rule.vertical) continue
    for (const horizontal of horizontals)
      if (touch(rule, rules[horizontal]!)) parents[find(index)] = find(horizontal)
  }
  const byRoot = Map.groupBy(rules.entries(), ([index]) => find(index))
  return [...byRoot.values()].map((group) => group.map(([, rule]) => rule))
}

function touch(vertical: Rule, horizontal: Rule): boolean {
  return (
    vertical.x >= horizontal.x - TOLERANCE &&
    vertical.x <= horizontal.x + horizontal.length + TOLERANCE &&
    horizontal.y >= vertical.y - TOLERANCE &&
    horizontal.y <= vertical.y + vertical.length + TOLERANCE
  )
}

function distinctPositions(values: number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted.filter((value, index) => index === 0 || value - sorted[index - 1]! > TOLERANCE)
}

function cellText(items: Item[]): string {
  const segments = rowsOf(items).flatMap((row) => row.segments)
  return segments.map(({ text }) => text.trim()).join(' ')
}

/** Without columns that only separate double borders. */
function filledColumns(cells: string[][]): string[][] {
  const filled = (column: number) => cells.some((row) => row[column] !== '')
  return cells.map((row) => row.filter((_, column) => filled(column)))
}

function itemsOf(rows: Row[]): Item[] {
  return rows.flatMap(({ segments }) => segments.flatMap(({ items }) => items))
}

/** The first row is the header if it is full and not numeric. */
function tableBlock(cells: string[][], items: Iterable<Item>): Block {
  const rows = new TableRows()
  const isHeader =
    cells.length > 1 && (cells[0] ?? []).every((text) => text !== '' && !/^[\d\s.,%€$£-]+$/.test(text))
  for (const [index, row] of cells.entries()) {
    for (const text of row) rows.cell(index === 0 && isHeader ? 'th' : 'td', {}, text)
    rows.endRow()
  }
  const { text, html } = rows.finish() ?? { text: '', html: '' }
  return { type: 'Table', text, links: [], metadata: { text_as_html: html, ...itemMetadata(items).metadata } }
}
