import { openCompoundFile } from '../../../../../filetype/compound-file.ts'
import { refuseTooManyParts } from '../../../../limits.ts'
import type { FileToRead, ReadFile } from '../../reading-file.ts'
import { brokenFile, parsed, passwordProtected } from '../../refusals.ts'
import { sheetBlocks } from '../xlsx.ts'
import { BIFF, readSharedTexts, readText, recordAt } from './biff-records.ts'
import { dateKindOf } from './biff-values.ts'
import { decoderOf } from './code-pages.ts'
import { oldVersion } from './reasons.ts'
import { viewOf } from './word-file.ts'
import { readSheet, type Workbook } from './xls-sheet.ts'

const EXCEL_97 = 0x600
const EXCEL_5 = 0x500
const WORKSHEET = 0

type SheetRef = { name: string; at: number }

/** A workbook of Excel 5 to 2003: each visible sheet is a page with a title and one table. */
export const readXls: ReadFile = async (file, { progress }) => {
  const { bytes, filename } = file
  return parsed(filename, 'not a readable document', () => {
    const compound = openCompoundFile(bytes)
    const stream = compound?.stream('Workbook') ?? compound?.stream('Book')
    if (!stream) throw brokenFile(filename, 'not a readable document')
    const { workbook, sheets } = readGlobals(viewOf(stream), file)
    let cells = 0
    const read = sheets.map(({ name, at }) => {
      const rows = readSheet(workbook, at, (count) => refuseTooManyParts(cells + count, filename))
      cells += rows.reduce((sum, row) => sum + row.length, 0)
      progress()
      return { name, rows }
    })
    return { blocks: sheetBlocks(read, file), warnings: [] }
  })
}

function readGlobals(stream: DataView, { filename }: FileToRead): { workbook: Workbook; sheets: SheetRef[] } {
  const start = recordAt(stream, 0)
  if (start?.type !== BIFF.START) throw brokenFile(filename, 'not a readable document')
  const version = start.data.getUint16(0, true)
  if (version !== EXCEL_97 && version !== EXCEL_5) throw oldVersion(filename, 'Excel 4 or older')
  const workbook: Workbook = {
    stream,
    left: stream.byteLength,
    decode: null,
    texts: [],
    isFrom1904: false,
    dateKinds: [],
  }
  if (version === EXCEL_5) workbook.decode = decoderOf(1252)
  const customFormats = new Map<number, string>()
  const cellFormats: number[] = []
  const sheets: SheetRef[] = []
  for (
    let record = recordAt(stream, start.next);
    record && record.type !== BIFF.EOF;
    record = recordAt(stream, record.next)
  ) {
    const { type, data } = record
    if (type === BIFF.PASSWORD) throw passwordProtected(filename)
    if (type === BIFF.CODE_PAGE && workbook.decode) workbook.decode = decoderOf(data.getUint16(0, true))
    else if (type === BIFF.DATES_FROM_1904) workbook.isFrom1904 = data.getUint16(0, true) === 1
    else if (type === BIFF.NUMBER_FORMAT)
      customFormats.set(data.getUint16(0, true), formatCode(data, workbook))
    else if (type === BIFF.CELL_FORMAT) cellFormats.push(data.getUint16(2, true))
    else if (type === BIFF.STRINGS) workbook.texts = readSharedTexts(withContinuations(stream, record))
    else if (type === BIFF.SHEET && isVisibleSheet(data)) sheets.push(sheetOf(data, workbook))
  }
  workbook.dateKinds = cellFormats.map((format) => dateKindOf(format, customFormats))
  return { workbook, sheets }
}

function formatCode(data: DataView, { decode }: Workbook): string {
  return decode
    ? readText(data, 3, { length: data.getUint8(2), decode })
    : readText(data, 4, { length: data.getUint16(2, true), decode })
}

function withContinuations(stream: DataView, first: { data: DataView; next: number }): DataView[] {
  const parts = [first.data]
  for (
    let record = recordAt(stream, first.next);
    record?.type === BIFF.CONTINUE;
    record = recordAt(stream, record.next)
  )
    parts.push(record.data)
  return parts
}

function isVisibleSheet(data: DataView): boolean {
  return (data.getUint8(4) & 3) === 0 && data.getUint8(5) === WORKSHEET
}

function sheetOf(data: DataView, { decode }: Workbook): SheetRef {
  return { at: data.getUint32(0, true), name: readText(data, 7, { length: data.getUint8(6), decode }) }
}
