import type { Item, Row, Segment } from './page.ts'
import { spaceBetween } from './space-between.ts'

/** In font sizes: wider than spaces in justified lines, narrower than column gaps. */
const MAX_GAP = 1.4
/** Wider than the space between letters. */
const MIN_GAP = 0.15
/** A space even in languages without spaces between words; OCR reads their words one by one. */
const WIDE_GAP = 0.6

/** Rows from top to bottom, each cut at wide gaps. */
export function rowsOf(items: Item[]): Row[] {
  const rows: { y: number; size: number; items: Item[] }[] = []
  for (const item of items.toSorted((a, b) => a.y - b.y)) {
    const row = rows.at(-1)
    if (row && item.y - row.y < Math.min(row.size, item.size) * 0.4) row.items.push(item)
    else rows.push({ y: item.y, size: item.size, items: [item] })
  }
  return rows.map((row) => ({ y: row.y, segments: segmentsOf(row.items) }))
}

function segmentsOf(items: Item[]): Segment[] {
  const segments: Segment[] = []
  for (const item of items.toSorted((a, b) => a.x - b.x)) {
    const { x, y, size, bold } = item
    const right = x + item.width
    const last = segments.at(-1)
    const gap = last ? x - last.right : 0
    // A bullet belongs to the text after it, at any distance.
    if (!last || (gap > size * MAX_GAP && !/^\S{1,3}$/.test(last.text))) {
      segments.push({ text: item.text, x, right, y, size, bold, items: [item] })
      continue
    }
    const isApart = gap > size * MIN_GAP && !/\s$/.test(last.text) && !/^\s/.test(item.text)
    const space = gap > size * WIDE_GAP ? ' ' : spaceBetween(last.text, item.text)
    last.items.push(item)
    last.text += (isApart ? space : '') + item.text
    // A line's size is that of most of its text; superscripts are smaller.
    if (item.text.length > last.text.length / 2) last.size = size
    last.bold &&= bold
    last.right = Math.max(last.right, right)
  }
  return segments
}

/** A column has at least this many lines. */
const MIN_LINES = 4
/** Shorter texts side by side are a table or term list, read across. */
const MIN_CHARACTERS = 15
const MAX_GUTTERS = 40

/** Reading order: at a gutter, the left column before the right one. */
export function inReadingOrder(rows: Row[], depth = 0): Row[] {
  const cut = depth < 6 ? widestColumns(rows) : null
  if (!cut) return rows
  const { from, to, gutter } = cut
  const side = (isLeft: boolean) =>
    rows.slice(from, to).flatMap(({ y, segments }) => {
      const kept = segments.filter(({ right }) => right <= gutter === isLeft)
      return kept.length > 0 ? [{ y, segments: kept }] : []
    })
  return [
    ...inReadingOrder(rows.slice(0, from), depth + 1),
    ...inReadingOrder(side(true), depth + 1),
    ...inReadingOrder(side(false), depth + 1),
    ...inReadingOrder(rows.slice(to), depth + 1),
  ]
}

function widestColumns(rows: Row[]): { from: number; to: number; gutter: number } | null {
  let best: { from: number; to: number; gutter: number } | null = null
  for (const gutter of gutters(rows)) {
    for (let from = 0; from < rows.length; ) {
      let to = from
      while (to < rows.length && !crosses(rows[to]!, gutter)) to++
      if (to - from > (best ? best.to - best.from : 0) && areColumns(rows.slice(from, to), gutter))
        best = { from, to, gutter }
      from = to + 1
    }
  }
  return best
}

function gutters(rows: Row[]): number[] {
  const found = rows.flatMap(({ segments }) =>
    segments.slice(1).map(({ x }, index) => Math.round((x + (segments[index]?.right ?? x)) / 2)),
  )
  return [...new Set(found)].slice(0, MAX_GUTTERS)
}

function crosses({ segments }: Row, gutter: number): boolean {
  return segments.some(({ x, right }) => x < gutter && right > gutter)
}

function areColumns(rows: Row[], gutter: number): boolean {
  const segments = rows.flatMap((row) => row.segments)
  const left = segments.filter(({ right }) => right <= gutter)
  const right = segments.filter((segment) => segment.right > gutter)
  return [left, right].every(
    (side) =>
      side.length >= MIN_LINES &&
      side.reduce((sum, { text }) => sum + text.length, 0) / side.length >= MIN_CHARACTERS,
  )
}
