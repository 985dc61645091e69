import { refuseTooManyParts } from '../../limits.ts'
import { decodeText } from '../decode.ts'
import { refuseBinary } from '../readable.ts'
import { blocksOf, sheetHtml } from './paged.ts'
import type { FileToRead, ReadFile } from './reading-file.ts'
import { parsed } from './refusals.ts'

/** Values separated by commas, semicolons or tabs, as one table. */
export const readCsv: ReadFile = async (file) => {
  const { parse } = await import('csv-parse/sync')
  const text = decodeText(file.bytes, file.filetype)
  refuseBinary(text, file.filename)
  const rows = await parsed(file.filename, 'its rows cannot be parsed', (): string[][] =>
    parse(text, {
      bom: true,
      delimiter: delimiterOf(text, file),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }),
  )
  refuseTooManyParts(
    rows.reduce((sum, row) => sum + row.length, 0),
    file.filename,
  )
  return { blocks: blocksOf([{ html: sheetHtml(rows) }], file), warnings: [] }
}

/** The most frequent delimiter in the first line, outside quotes. */
function delimiterOf(text: string, { filetype }: FileToRead): string {
  if (filetype.startsWith('text/tab')) return '\t'
  const line = (/^[^\r\n]{0,10000}/.exec(text)?.[0] ?? '').replaceAll(/"[^"]*"/g, '')
  const counts = [',', ';', '\t', '|'].map((delimiter) => ({
    delimiter,
    count: line.split(delimiter).length,
  }))
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).delimiter
}
