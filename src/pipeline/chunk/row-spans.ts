type Cell = { tag: string; colspan: number; rowspan: number; html: string }
/** `until` is the first row the cell no longer covers. */
type PlacedCell = Cell & { column: number; until: number }

/** Limits the spanning cells to check on every row; readable tables have far fewer. */
const MAX_SPANS = 32

/** Repeats cells with a rowspan at the start of each part of a split table, so that its rows keep their group name. */
export class RowSpans {
  #row = 0
  #spanning: PlacedCell[] = []
  readonly #maxLength: number

  /** `maxLength` limits the total length of repeated cells in one part. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** The first row of a part, with the cells that span into it. */
  startPart(row: string): string {
    const length = this.#spanning.reduce((sum, cell) => sum + cell.html.length, 0)
    if (this.#spanning.length === 0 || length > this.#maxLength) return row
    const above = this.#spanning.map((cell) => ({ ...cell, rowspan: cell.until - this.#row }))
    const cells = [...above, ...this.#place(row)].sort((a, b) => a.column - b.column)
    return `<tr>${cells.map(writeCell).join('')}</tr>`
  }

  /** Moves to the next row and remembers the spanning cells of this one. */
  advance(row: string): void {
    const hasSpans = row.includes(' rowspan="') && this.#spanning.length < MAX_SPANS
    const ownSpans = hasSpans ? this.#place(row).filter(({ rowspan }) => rowspan > 1) : []
    this.#row++
    if (ownSpans.length > 0) {
      const all = [...this.#spanning, ...ownSpans].slice(0, MAX_SPANS)
      this.#spanning = all.sort((a, b) => a.column - b.column)
    }
    if (this.#spanning.some(({ until }) => until <= this.#row)) {
      this.#spanning = this.#spanning.filter(({ until }) => until > this.#row)
    }
  }

  /** Own cells fill the columns that spanning cells leave free. */
  #place(row: string): PlacedCell[] {
    const above = this.#spanning
    let next = 0
    let column = 0
    return readCells(row).map((cell) => {
      for (; next < above.length && above[next]!.column <= column; next++) {
        column = Math.max(column, above[next]!.column + above[next]!.colspan)
      }
      const placed = { ...cell, column, until: this.#row + cell.rowspan }
      column += cell.colspan
      return placed
    })
  }
}

/** Cells hold no markup except `<br/>`. */
function readCells(row: string): Cell[] {
  return [...row.matchAll(/<(t[dh])(?: colspan="(\d+)")?(?: rowspan="(\d+)")?>([^<]*(?:<br\/>[^<]*)*)/g)].map(
    ([, tag = 'td', colspan = '1', rowspan = '1', html = '']) => {
      return { tag, colspan: Number(colspan), rowspan: Number(rowspan), html }
    },
  )
}

function writeCell({ tag, colspan, rowspan, html }: Cell): string {
  const columns = colspan > 1 ? ` colspan="${colspan}"` : ''
  const rows = rowspan > 1 ? ` rowspan="${rowspan}"` : ''
  return `<${tag}${columns}${rows}>${html}</${tag}>`
}
