import pg from 'pg'
import type { Statement } from '../connection.ts'

/** A statement with its values as literals, for people to copy. */
export function withLiterals({ text, values = [] }: Statement): string {
  // Names and texts in quotes may hold a dollar sign.
  return text.replaceAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)/g, (found, number?: string) =>
    number === undefined ? found : literal(values[Number(number) - 1]),
  )
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? `'{}'` : `array[${value.map(literal).join(', ')}]`
  if (typeof value === 'number') return `'${value}'`
  return pg.escapeLiteral(String(value))
}
