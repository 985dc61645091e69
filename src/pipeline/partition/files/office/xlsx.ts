import { refuseTooManyParts } from '../../../limits.ts'
import { cellHtml } from '../../table.ts'
import { packArchive, unpack } from '../archive.ts'
import { oneLine } from '../one-line.ts'
import { blocksOf, sheetHtml } from '../paged.ts'
import type { FileToRead, ReadFile } from '../reading-file.ts'
import { parsed } from '../refusals.ts'
import { rewrite, withoutHiddenSheets } from './hidden.ts'

/** Excel allows 31 characters, other programs more; every part of a sheet repeats the name. */
const MAX_NAME_LENGTH = 200

/** A workbook: each visible sheet is a page with a title and one table. */
export const readXlsx: ReadFile = async (file, { progress }) => {
  const { default: readSheets } = await import('read-excel-file/node')
  const parts = unpack(file, (name) => !/(^|\/)(media|embeddings|drawings|charts)\//.test(name))
  rewrite(parts, 'xl/workbook.xml', withoutHiddenSheets)
  const sheets = await parsed(file.filename, 'not a readable workbook', () => readSheets(packArchive(parts)))
  progress()
  const sheetsAsText = sheets.map(({ sheet, data }) => ({
    name: sheet,
    // A sheet that is a chart has no cells.
    rows: (data ?? []).map((row) => row.map(cellText)),
  }))
  return { blocks: sheetBlocks(sheetsAsText, file), warnings: [] }
}

export function sheetBlocks(sheets: { name: string; rows: string[][] }[], file: FileToRead) {
  const cells = sheets.reduce((sum, { rows }) => sum + rows.reduce((count, row) => count + row.length, 0), 0)
  refuseTooManyParts(cells, file.filename)
  const parts = sheets.map(({ name, rows }, index) => ({
    html: `<h1>${cellHtml(name)}</h1>${sheetHtml(rows)}`,
    metadata: { page_number: index + 1, page_name: oneLine(name, MAX_NAME_LENGTH) },
  }))
  return blocksOf(parts, file)
}

/** Midnight means a date without a time. Sheets store times as fractions of a day, just above or below the second. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (!(value instanceof Date)) return String(value)
  if (Number.isNaN(value.getTime())) return ''
  const [day = '', time = ''] = new Date(Math.round(value.getTime() / 1000) * 1000).toISOString().split('T')
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)}`
}
