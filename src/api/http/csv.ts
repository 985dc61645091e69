import { setImmediate as nextTurn } from 'node:timers/promises'
import { stringify } from 'csv-stringify/sync'
import type { Element } from '../../document.ts'

/** Other work gets its turn after as many rows. */
const PART_ROWS = 500

/** One row per element, one column per metadata field that any of them has; RFC 4180. */
export async function* toCsv(elements: Element[]): AsyncGenerator<string> {
  const columns = new Set<string>()
  for (const { metadata } of elements) for (const name of Object.keys(metadata)) columns.add(name)
  // By default the library quotes only its own line end, not a lone \r or \n.
  const options = { record_delimiter: '\r\n', quoted_match: /[\r\n]/ }
  yield stringify([['type', 'element_id', 'text', ...columns].map(neutralized)], options)
  for (let at = 0; at < elements.length; at += PART_ROWS) {
    const rows = elements.slice(at, at + PART_ROWS).map(({ type, element_id: id, text, metadata }) => {
      const values = [...columns].map((name) => textOf(metadata[name as keyof typeof metadata]))
      return [type, id, text, ...values].map(neutralized)
    })
    yield stringify(rows, options)
    await nextTurn()
  }
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
