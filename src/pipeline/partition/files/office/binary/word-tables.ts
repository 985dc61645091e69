import type { WordCell } from './word-properties.ts'

export type WordRow = { cells: string[]; edges: WordCell[]; isHeader: boolean }

/** Edges closer than this, in twentieths of a point, are the same column. */
const TOLERANCE = 30
const MAX_COLUMNS = 1000

/** A table from its rows; the edges of cells give their columns. */
export function wordTableHtml(rows: WordRow[]): string {
  const columns = columnsOf(rows)
  const placed = rows.map((row) => placeCells(row, columns))
  const lines = placed.map((cells, at) => {
    const tag = rows[at]!.isHeader ? 'th' : 'td'
    return `<tr>${cells
      .filter(({ merged }) => merged !== 'up')
      .map(({ html, column, span, merged }) => {
        const height = merged === 'start' ? heightOf(placed, at, column) : 1
        return `<${tag}${attribute('colspan', span)}${attribute('rowspan', height)}>${html}</${tag}>`
      })
      .join('')}</tr>`
  })
  return `<table>${lines.join('')}</table>`
}

type PlacedCell = { html: string; column: number; span: number; merged: WordCell['merged'] }

function columnsOf(rows: WordRow[]): number[] {
  const edges = new Set(rows.flatMap(({ edges: cells }) => cells.flatMap(({ left, right }) => [left, right])))
  const columns: number[] = []
  for (const edge of [...edges].sort((a, b) => a - b))
    if (columns.length === 0 || edge - columns.at(-1)! > TOLERANCE) columns.push(edge)
  return columns.length > MAX_COLUMNS ? [] : columns
}

function placeCells({ cells, edges }: WordRow, columns: number[]): PlacedCell[] {
  const columnAt = (edge: number) => columns.findLastIndex((column) => column <= edge)
  const placed: PlacedCell[] = []
  for (const [at, html] of cells.entries()) {
    const edge = edges[at]
    const column = edge && columns.length > 0 ? columnAt(edge.left) : at
    const span = edge && columns.length > 0 ? Math.max(1, columnAt(edge.right) - column) : 1
    const before = placed.at(-1)
    if (edge?.merged === 'left' && before) before.span += span
    else placed.push({ html, column, span, merged: edge?.merged ?? 'none' })
  }
  return placed
}

function heightOf(rows: PlacedCell[][], start: number, column: number): number {
  let height = 1
  while (rows[start + height]?.some((cell) => cell.column === column && cell.merged === 'up')) height++
  return height
}

function attribute(name: string, value: number): string {
  return value > 1 ? ` ${name}="${value}"` : ''
}
