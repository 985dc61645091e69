import {
  EXCALIDRAW,
  GLIFFY,
  MERMAID,
  MXFILE,
  PLANTUML,
  SBV,
  SUBRIP,
  TTML,
} from '../../../filetype/text-formats.ts'
import { unsupportedFile } from '../../../filetype/unsupported.ts'
import type { FileToRead, ReadFile } from './reading-file.ts'

const office = async () => (await import('./office/office.ts')).readOffice
const docx = async () => (await import('./office/docx.ts')).readDocx
const pptx = async () => (await import('./office/pptx.ts')).readPptx
const xlsx = async () => (await import('./office/xlsx.ts')).readXlsx
const csv = async () => (await import('./csv.ts')).readCsv
const captions = async () => (await import('./captions/captions.ts')).readCaptions
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
  ['application/vnd.ms-visio.drawing', async () => (await import('./office/visio.ts')).readVisio],
  ['application/epub+zip', async () => (await import('./epub.ts')).readEpub],
  ['text/csv', csv],
  ['text/tab-separated-values', csv],
  ['text/markdown', async () => (await import('./markdown.ts')).readMarkdown],
  ['message/rfc822', async () => (await import('./mail.ts')).readMail],
  ['application/vnd.ms-outlook', async () => (await import('./msg.ts')).readMsg],
  [MXFILE, async () => (await import('./drawings/drawio.ts')).readDrawio],
  [EXCALIDRAW, async () => (await import('./drawings/excalidraw.ts')).readExcalidraw],
  [MERMAID, async () => (await import('./sources/mermaid.ts')).readMermaid],
  [PLANTUML, async () => (await import('./sources/plantuml.ts')).readPlantuml],
  [GLIFFY, async () => (await import('./drawings/gliffy.ts')).readGliffy],
  ...['text/vtt', SUBRIP, SBV, TTML].map((type) => [type, captions] as const),
  ['image/svg+xml', async () => (await import('./drawings/svg.ts')).readSvg],
  ['image/png', async () => (await import('./drawings/png.ts')).readPng],
  ['image/jpeg', picture],
  ['image/webp', picture],
  ['image/gif', picture],
  ['image/bmp', picture],
  ['image/tiff', async () => (await import('./ocr/tiff.ts')).readTiff],
])

export const FILE_TYPES: readonly string[] = [...FORMATS.keys()]

export async function fileReaderOf({ filetype, filename }: FileToRead): Promise<ReadFile> {
  const load = FORMATS.get(filetype)
  if (!load) throw unsupportedFile(filename, filetype)
  return load()
}
