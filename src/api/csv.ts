import type { Element } from '../document.ts'

/** A line for each element; a column for each kind of metadata that any of them has. */
export function toCsv(elements: Element[]): string {
  const columns = [...new Set(elements.flatMap(({ metadata }) => Object.keys(metadata)))]
  const rows = elements.map(({ type, element_id: id, text, metadata }) => [
    ...[type, id, text],
    ...columns.map((name) => metadata[name as keyof typeof metadata]),
  ])
  return [['type', 'element_id', 'text', ...columns], ...rows]
    .map((row) => `${row.map(cell).join(',')}\r\n`)
    .join('')
}

/** RFC 4180: quoted where it has to be, quotes doubled. */
function cell(value: unknown): string {
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
