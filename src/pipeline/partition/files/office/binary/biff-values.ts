const MS_PER_DAY = 86_400_000
/** Day 0 of Excel's calendar, which counts a 29 February 1900 that never was. */
const FROM_1900 = Date.UTC(1899, 11, 30)
const FROM_1904 = Date.UTC(1904, 0, 1)
/** 31 December 9999, the last day of the calendar. */
const LAST_DAY = 2_958_466

export type DateKind = 'date' | 'time' | null

/** Numbers of the built-in formats that show dates or times. */
export function dateKindOf(format: number, custom: ReadonlyMap<number, string>): DateKind {
  const code = custom.get(format)
  if (code !== undefined) return dateKindOfCode(code)
  if ((format >= 18 && format <= 21) || (format >= 45 && format <= 47)) return 'time'
  return (format >= 14 && format <= 22) || (format >= 27 && format <= 36) || (format >= 50 && format <= 58)
    ? 'date'
    : null
}

function dateKindOfCode(code: string): DateKind {
  const letters = code.slice(0, 255).replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?!h|m|s)[^\]]*\]/gi, '')
  if (/general/i.test(letters)) return null
  if (/[yd]|mmm/i.test(letters)) return 'date'
  if (/[hs]/i.test(letters)) return 'time'
  return /m/i.test(letters) ? 'date' : null
}

export function numberText(value: number, kind: DateKind, isFrom1904: boolean): string {
  if (!Number.isFinite(value)) return ''
  if (!kind || value < 0 || value > LAST_DAY) return String(value)
  const minutes = Math.round(value * 24 * 60)
  if (kind === 'time' && value < 1) return new Date(minutes * 60_000).toISOString().slice(11, 16)
  if (kind === 'time') return String(value)
  const date = new Date((isFrom1904 ? FROM_1904 : FROM_1900) + Math.round(value * MS_PER_DAY))
  const [day = '', time = ''] = date.toISOString().split('T')
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)}`
}

/** A number in 30 bits: a whole number or the upper half of a long one, and perhaps hundredths. */
export function shortNumber(bits: number): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setInt32(0, bits & ~3)
  const value = bits & 2 ? bits >> 2 : view.getFloat64(0)
  return bits & 1 ? value / 100 : value
}

const ERRORS = new Map([
  [0x00, '#NULL!'],
  [0x07, '#DIV/0!'],
  [0x0f, '#VALUE!'],
  [0x17, '#REF!'],
  [0x1d, '#NAME?'],
  [0x24, '#NUM!'],
  [0x2a, '#N/A'],
])

export function booleanText(value: number, isError: boolean): string {
  if (isError) return ERRORS.get(value) ?? ''
  return value ? 'TRUE' : 'FALSE'
}
