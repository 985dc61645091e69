import { AppError } from '../../../errors.ts'
import type { FileToRead, ReadFile } from './reading-file.ts'

const office = async () => (await import('./office/office.ts')).readOffice
const docx = async () => (await import('./office/docx.ts')).readDocx
const pptx = async () => (await import('./office/pptx.ts')).readPptx
const xlsx = async () => (await import('./office/xlsx.ts')).readXlsx
const csv = async () => (await import('./csv.ts')).readCsv
const picture = async () => (await import('./ocr/picture.ts')).readPicture

const unread = (name: 'refuseXlsb' | 'refuseProtected') => async () =>
  (await import('./office/binary/reasons.ts'))[name]

const OPEN_XML = 'application/vnd.openxmlformats-officedocument.'
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.'

/** Formats read in a separate process, by media type; libraries load on first use. */
const FORMATS = new Map<string, () => Promise<ReadFile>>([
  ['application/pdf', async () => (await import('./pdf/pdf.ts')).readPdf],
  [`${OPEN_XML}wordprocessingml.document`, docx],
  [`${OPEN_XML}wordprocessingml.template`, docx],
  ['application/vnd.ms-word.template.macroenabled.12', docx],
  ['application/msword', async () => (await import('./office/binary/doc.ts')).readDoc],
  ['application/vnd.ms-word.document.macroenabled.12', docx],
  [`${OPEN_XML}presentationml.presentation`, pptx],
  [`${OPEN_XML}presentationml.slideshow`, pptx],
  [`${OPEN_XML}presentationml.template`, pptx],
  ['application/vnd.ms-powerpoint.slideshow.macroenabled.12', pptx],
  ['application/vnd.ms-powerpoint.template.macroenabled.12', pptx],
  ['application/vnd.ms-powerpoint', async () => (await import('./office/binary/ppt.ts')).readPpt],
  ['application/vnd.ms-powerpoint.presentation.macroenabled.12', pptx],
  [`${OPEN_XML}spreadsheetml.sheet`, xlsx],
  [`${OPEN_XML}spreadsheetml.template`, xlsx],
  ['application/vnd.ms-excel.template.macroenabled.12', xlsx],
  ['application/vnd.ms-excel', async () => (await import('./office/binary/xls.ts')).readXls],
  ['application/vnd.ms-excel.sheet.binary.macroenabled.12', unread('refuseXlsb')],
  ['application/x-ooxml-protected', unread('refuseProtected')],
  ['application/vnd.ms-excel.sheet.macroenabled.12', xlsx],
  [`${OPEN_DOCUMENT}text`, office],
  [`${OPEN_DOCUMENT}text-template`, office],
  [`${OPEN_DOCUMENT}spreadsheet`, office],
  [`${OPEN_DOCUMENT}spreadsheet-template`, office],
  [`${OPEN_DOCUMENT}presentation`, office],
  [`${OPEN_DOCUMENT}presentation-template`, office],
  ['application/rtf', office],
  ['application/epub+zip', async () => (await import('./epub.ts')).readEpub],
  ['text/csv', csv],
  ['text/tab-separated-values', csv],
  ['text/markdown', async () => (await import('./markdown.ts')).readMarkdown],
  ['message/rfc822', async () => (await import('./mail.ts')).readMail],
  ['application/vnd.ms-outlook', async () => (await import('./msg.ts')).readMsg],
  ['image/png', picture],
  ['image/jpeg', picture],
  ['image/webp', picture],
  ['image/gif', picture],
  ['image/bmp', picture],
  ['image/tiff', async () => (await import('./ocr/tiff.ts')).readTiff],
])

export const FILE_TYPES: readonly string[] = [...FORMATS.keys()]

export async function fileReaderOf({ filetype, filename }: FileToRead): Promise<ReadFile> {
  const load = FORMATS.get(filetype)
  if (!load)
    throw new AppError(
      'document_unsupported',
      `reading ${filename}: files of type ${filetype} are not supported`,
    )
  return load()
}
