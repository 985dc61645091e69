import type { Page, Row } from './page.ts'

/** Share of the page at top and bottom that may hold running heads. */
const EDGE = 0.12
const MAX_LINES = 3

type RunningHeads = { header: Set<Row>; footer: Set<Row> }

/** Rows that repeat at the same position on most pages, ignoring digits; `rows` run top to bottom. */
export function runningHeads(pages: { page: Page; rows: Row[] }[]): RunningHeads[] {
  const counts = new Map<string, number>()
  const edges = pages.map(({ page, rows }) => {
    const top = rows.slice(0, MAX_LINES).filter(({ y }) => y < page.height * EDGE)
    const bottom = rows.slice(-MAX_LINES).filter(({ y }) => y > page.height * (1 - EDGE))
    for (const key of new Set([...top, ...bottom].map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1)
    return { top, bottom }
  })
  // Left and right pages may have different heads.
  const minCount = Math.max(2, Math.ceil(pages.length * 0.4))
  const repeats = (row: Row) => (counts.get(keyOf(row)) ?? 0) >= minCount
  return edges.map(({ top, bottom }) => ({
    header: new Set(top.filter(repeats)),
    footer: new Set(bottom.filter(repeats)),
  }))
}

function keyOf({ y, segments }: Row): string {
  const text = segments.map((segment) => segment.text).join(' ')
  return `${Math.round(y / 6)} ${text.replaceAll(/\d+/g, '#').replaceAll(/\s+/g, ' ').trim()}`
}
