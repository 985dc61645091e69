import { stringify } from 'csv-stringify/sync'
import type { Element } from '../document.ts'

/** One row per element, one column per metadata field that any of them has; RFC 4180. */
export function toCsv(elements: Element[]): string {
  const columns = [...new Set(elements.flatMap(({ metadata }) => Object.keys(metadata)))]
  const rows = elements.map(({ type, element_id: id, text, metadata }) => [
    ...[type, id, text],
    ...columns.map((name) => textOf(metadata[name as keyof typeof metadata])),
  ])
  // By default the library quotes only its own line end, not a lone \r or \n.
  const options = { record_delimiter: '\r\n', quoted_match: /[\r\n]/ }
  const cells = rows.map((row) => row.map(neutralized))
  return stringify([['type', 'element_id', 'text', ...columns.map(neutralized)], ...cells], options)
}

/** A spreadsheet runs a cell that begins with one of these as a formula; an apostrophe makes it text. */
export function neutralized(cell: string): string {
  return /^'*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
}

/** Undoes `neutralized`. */
export function withoutApostrophe(cell: string): string {
  return cell.replace(/^'(?='*[=+\-@\t\r])/, '')
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
