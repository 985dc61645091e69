type Cell = { tag: string; colspan: number; rowspan: number; html: string }
/** `until` is the first row the cell no longer covers. */
type Placed = Cell & { column: number; until: number }

/** Each spanning cell is checked on every row; readable tables have far fewer. */
const MOST_SPANS = 32

/**
 * Follows the rows of a table, so that each part repeats the spanning cells from above. Otherwise a row would
 * lose the name of its group.
 */
export class RowSpans {
  #row = 0
  #reaching: Placed[] = []
  readonly #most: number

  /** `most` limits the total length of repeated cells in one part. */
  constructor(most: number) {
    this.#most = most
  }

  first(row: string): string {
    const length = this.#reaching.reduce((sum, cell) => sum + cell.html.length, 0)
    if (this.#reaching.length === 0 || length > this.#most) return row
    const above = this.#reaching.map((cell) => ({ ...cell, rowspan: cell.until - this.#row }))
    const cells = [...above, ...this.#place(row)].sort((a, b) => a.column - b.column)
    return `<tr>${cells.map(write).join('')}</tr>`
  }

  pass(row: string): void {
    const begins = row.includes(' rowspan="') && this.#reaching.length < MOST_SPANS
    const own = begins ? this.#place(row).filter(({ rowspan }) => rowspan > 1) : []
    this.#row++
    if (own.length > 0) {
      const all = [...this.#reaching, ...own].slice(0, MOST_SPANS)
      this.#reaching = all.sort((a, b) => a.column - b.column)
    }
    if (this.#reaching.some(({ until }) => until <= this.#row)) {
      this.#reaching = this.#reaching.filter(({ until }) => until > this.#row)
    }
  }

  /** Own cells fill the columns that spanning cells leave free. */
  #place(row: string): Placed[] {
    const above = this.#reaching
    let next = 0
    let column = 0
    return read(row).map((cell) => {
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
function read(row: string): Cell[] {
  return [...row.matchAll(/<(t[dh])(?: colspan="(\d+)")?(?: rowspan="(\d+)")?>([^<]*(?:<br\/>[^<]*)*)/g)].map(
    ([, tag = 'td', colspan = '1', rowspan = '1', html = '']) => {
      return { tag, colspan: Number(colspan), rowspan: Number(rowspan), html }
    },
  )
}

function write({ tag, colspan, rowspan, html }: Cell): string {
  const columns = colspan > 1 ? ` colspan="${colspan}"` : ''
  const rows = rowspan > 1 ? ` rowspan="${rowspan}"` : ''
  return `<${tag}${columns}${rows}>${html}</${tag}>`
}
