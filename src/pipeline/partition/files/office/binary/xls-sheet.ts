import { BIFF, readText, recordAt } from './biff-records.ts'
import { booleanText, type DateKind, numberText, shortNumber } from './biff-values.ts'
import type { Decode } from './code-pages.ts'

/** What the cells of all sheets need. */
export type Workbook = {
  stream: DataView
  /** The bytes that sheets may still have: they never share records. */
  left: number
  /** For texts of Excel 5 and 95; null for newer ones. */
  decode: Decode | null
  texts: string[]
  isFrom1904: boolean
  /** By cell format. */
  dateKinds: DateKind[]
}

/** The cells of a sheet as text. `check` gets the number of cells that the rows will have. */
export function readSheet(workbook: Workbook, at: number, check: (cells: number) => void): string[][] {
  const rows: string[][] = []
  let cells = 0
  let formula: { row: number; column: number } | null = null
  const set = (row: number, column: number, text: string) => {
    if (text === '') return
    rows[row] ??= []
    cells += Math.max(0, column + 1 - rows[row].length)
    check(cells)
    rows[row][column] = text
  }
  eachRecord(workbook, at, (type, data) => {
    if (data.byteLength < 6 && type !== BIFF.FORMULA_TEXT) return
    const place = () => [data.getUint16(0, true), data.getUint16(2, true)] as const
    const number = (value: number, formatAt = 4) =>
      numberText(value, workbook.dateKinds[data.getUint16(formatAt, true)] ?? null, workbook.isFrom1904)
    switch (type) {
      case BIFF.STRING_CELL:
        return set(...place(), workbook.texts[data.getUint32(6, true)] ?? '')
      case BIFF.TEXT:
      case BIFF.RICH_TEXT:
        return set(
          ...place(),
          readText(data, 8, { length: data.getUint16(6, true), decode: workbook.decode }),
        )
      case BIFF.NUMBER:
        return set(...place(), number(data.getFloat64(6, true)))
      case BIFF.SHORT_NUMBER:
        return set(...place(), number(shortNumber(data.getInt32(6, true))))
      case BIFF.NUMBERS: {
        const [row, first] = place()
        for (let cell = 4, column = first; cell + 8 <= data.byteLength; cell += 6, column++)
          set(row, column, number(shortNumber(data.getInt32(cell + 2, true)), cell))
        return
      }
      case BIFF.BOOLEAN:
        return set(...place(), booleanText(data.getUint8(6), data.getUint8(7) === 1))
      case BIFF.FORMULA: {
        const [row, column] = place()
        formula = { row, column }
        return set(row, column, formulaText(data, number))
      }
      case BIFF.FORMULA_TEXT:
        if (formula && data.byteLength >= 2) set(formula.row, formula.column, formulaResult(data, workbook))
        formula = null
    }
  })
  return Array.from(rows, (row) => Array.from(row ?? [], (cell) => cell ?? ''))
}

/** Charts in a sheet are nested between their own start and end. */
function eachRecord(workbook: Workbook, at: number, visit: (type: number, data: DataView) => void): void {
  const { stream } = workbook
  let depth = 0
  for (let record = recordAt(stream, at); record; record = recordAt(stream, record.next)) {
    workbook.left -= 4 + record.data.byteLength
    if (workbook.left < 0) throw new RangeError('sheets overlap')
    if (record.type === BIFF.START) depth++
    else if (record.type === BIFF.EOF) depth--
    else if (depth === 1) visit(record.type, record.data)
    if (depth <= 0) return
  }
}

/** The last result; a text follows in a record of its own. */
function formulaText(data: DataView, number: (value: number) => string): string {
  if (data.getUint16(12, true) !== 0xffff) return number(data.getFloat64(6, true))
  const kind = data.getUint8(6)
  return kind === 1 || kind === 2 ? booleanText(data.getUint8(8), kind === 2) : ''
}

function formulaResult(data: DataView, { decode }: Workbook): string {
  return readText(data, 2, { length: data.getUint16(0, true), decode })
}
