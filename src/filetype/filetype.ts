import { fileTypeFromBuffer } from 'file-type'
import { openCompoundFile } from './compound-file.ts'
import { encodingOf, hasControls } from './text-encoding.ts'
import { formatOfJson, formatOfLines, formatOfRoot, TYPES_OF_ENDINGS } from './text-formats.ts'
import { VSD } from './unsupported.ts'
import { zipNames } from './zip-directory.ts'

/** Enough to detect a type: some signatures come after 4,000 bytes. */
export const HEAD_BYTES = 4100

/**
 * The media type by content; a name only refines plain text. Without `whole`, `isCertain` says whether it is
 * final. Text comes first: a text that begins with BMW is not an image.
 */
export async function detectFiletype(head: Uint8Array, name: string, whole: boolean): Promise<string> {
  if (head.length === 0) return typeByExtension(name) ?? 'text/plain'
  const encoding = encodingOf(head, whole)
  if (encoding) {
    const start = new TextDecoder(encoding).decode(head.subarray(0, HEAD_BYTES))
    const end = new TextDecoder(encoding).decode(head.subarray(evenStart(head.length - 200)))
    return textType({ bytes: head, encoding, start, end, whole }, name)
  }
  if (startsWith(head, '{\\rtf')) return 'application/rtf'
  // Other encodings are named in the markup, which is always ASCII.
  if (!hasControls(head.subarray(0, HEAD_BYTES))) {
    const markup = markupType(new TextDecoder('latin1').decode(head.subarray(0, HEAD_BYTES)), name)
    return markup ?? 'application/octet-stream'
  }
  return binaryType(head, whole)
}

/** Old office formats and Outlook messages. */
const COMPOUND_FILE = 'application/x-cfb'

/** A zip's type may appear anywhere, so it must be read whole. */
export function isCertain(filetype: string): boolean {
  return filetype !== 'application/zip' && filetype !== COMPOUND_FILE
}

/** The media type of an image, or null for other bytes. */
export async function imageType(bytes: Uint8Array): Promise<string | null> {
  const type = await detectFiletype(bytes, '', true)
  return type.startsWith('image/') ? type : null
}

type Text = { bytes: Uint8Array; encoding: string; start: string; end: string; whole: boolean }

/** Text-based formats that are detected by a signature. */
const TEXT_SIGNATURES = new Set([
  'application/pdf',
  'application/rtf',
  'application/postscript',
  'application/eps',
  'application/pgp-encrypted',
  'application/x-ms-regedit',
  'text/calendar',
  'text/vcard',
  'text/vtt',
])

async function textType(text: Text, name: string): Promise<string> {
  const markup = markupType(text.start, name)
  if (markup) return markup
  const detected = await signature(text.bytes.subarray(0, HEAD_BYTES))
  if (detected && TEXT_SIGNATURES.has(detected)) return detected
  if (isJson(text)) return formatOfJson(text.start, name)
  if (isMail(text.start)) return 'message/rfc822'
  return formatOfLines(text.start, name) ?? typeByExtension(name) ?? 'text/plain'
}

function typeByExtension(name: string): string | undefined {
  return TYPES_BY_EXTENSION.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase())
}

const TYPES_BY_EXTENSION = new Map([
  ['md', 'text/markdown'],
  ['markdown', 'text/markdown'],
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
  ['rst', 'text/x-rst'],
  ['eml', 'message/rfc822'],
  ...TYPES_OF_ENDINGS,
])

/** Declarations, comments and instructions before the first tag. */
const PROLOG = /^\s*(?:<\?[^>]*>|<!--[\s\S]*?-->|<!doctype\s+(?!html)[^>[]*(?:\[[^\]]*\]\s*)?>)/i

function markupType(start: string, name: string): string | null {
  let rest = start.replace(/^\ufeff/, '')
  const declared = /^\s*<\?xml\s/i.test(rest)
  for (let found = PROLOG.exec(rest); found; found = PROLOG.exec(rest)) rest = rest.slice(found[0].length)
  const root = /^\s*<(!doctype\s+html|[a-z_][\w.-]*(?::[\w.-]+)?)(?=[\s/>]|$)/i.exec(rest)
  const tag = root?.[1]?.toLowerCase() ?? ''
  if (/^(?:!doctype|html$|head$|body$)/.test(tag)) return 'text/html'
  // Handwritten notes often begin with a little HTML or a drawing.
  if (!declared && typeByExtension(name) === 'text/markdown') return null
  const isXml = declared || (root !== null && /^[^>]*\sxmlns[:=]/.test(rest))
  const format = formatOfRoot(tag, isXml)
  if (format) return format
  if (!declared && HTML_TAGS.has(tag)) return 'text/html'
  if (isXml) return 'application/xml'
  return null
}

/** Tags by which browsers recognise HTML without a head. */
const HTML_TAGS = new Set(
  'a b br center div font h1 h2 h3 iframe img li meta ol p pre script span style table title ul'.split(' '),
)

/** Above this size the start and end decide, without parsing. */
const MAX_PARSED_LENGTH = 1_000_000

function isJson({ bytes, encoding, start, end, whole }: Text): boolean {
  const startsLikeJson =
    /^\ufeff?\s*(?:\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\})|\[\s*(?:[[{"\]\d-]|true|false|null))/.test(start)
  if (!startsLikeJson || !whole) return startsLikeJson
  if (bytes.length > MAX_PARSED_LENGTH) return /[}\]]\s*$/.test(end)
  try {
    JSON.parse(new TextDecoder(encoding).decode(bytes))
    return true
  } catch {
    return false
  }
}

/** Header lines from the first line on: From and two other usual headers. */
function isMail(start: string): boolean {
  const lines = (start.split(/\r?\n\r?\n/)[0] ?? '').split(/\r?\n/)
  // The last line may be cut at the end of the head.
  const names = lines.slice(0, 100).map((line) => /^([!-9;-~]{1,60}):|^[ \t]/.exec(line))
  if (names.length < 3 || names.slice(0, -1).some((found) => !found)) return false
  const headers = new Set(names.map((found) => found?.[1]?.toLowerCase()))
  const commonHeaders = ['date', 'subject', 'to', 'message-id', 'received', 'mime-version', 'return-path']
  return headers.has('from') && commonHeaders.filter((each) => headers.has(each)).length >= 2
}

async function binaryType(head: Uint8Array, whole: boolean): Promise<string> {
  const found = await signature(head.subarray(0, HEAD_BYTES))
  if (found === 'application/zip' && whole) return zipType(head)
  if (found === VISIO_SIGNATURE) return VISIO
  if (found === COMPOUND_FILE && whole) return compoundType(head)
  if (found) return found
  // The directory of a TIFF may come last.
  if (startsWith(head, 'II*\0') || startsWith(head, 'MM\0*')) return 'image/tiff'
  // PDF readers accept up to 1 KB before the first line.
  const isPdf = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 1024)).includes('%PDF-')
  return isPdf ? 'application/pdf' : 'application/octet-stream'
}

/** Streams that only files of one program have. */
const PROGRAM_STREAMS: [string, string][] = [
  ['__properties_version1.0', 'application/vnd.ms-outlook'],
  ['WordDocument', 'application/msword'],
  ['Workbook', 'application/vnd.ms-excel'],
  ['Book', 'application/vnd.ms-excel'],
  ['PowerPoint Document', 'application/vnd.ms-powerpoint'],
  ['PP40', 'application/vnd.ms-powerpoint'],
  ['VisioDocument', VSD],
  ['EncryptedPackage', 'application/x-ooxml-protected'],
]

function compoundType(bytes: Uint8Array): string {
  const file = openCompoundFile(bytes)
  return PROGRAM_STREAMS.find(([name]) => file?.has(name))?.[1] ?? COMPOUND_FILE
}

async function signature(bytes: Uint8Array): Promise<string | undefined> {
  // A truncated structure has no signature.
  return (await fileTypeFromBuffer(bytes).catch(() => undefined))?.mime
}

/** Drawings, templates and stencils since Visio 2013. */
const VISIO = 'application/vnd.ms-visio.drawing'
/** The library calls them by the type of the binary format. */
const VISIO_SIGNATURE = 'application/vnd.visio'

const OFFICE = 'application/vnd.openxmlformats-officedocument.'
const OFFICE_PARTS: [string, string][] = [
  ['word/document.xml', `${OFFICE}wordprocessingml.document`],
  ['xl/workbook.xml', `${OFFICE}spreadsheetml.sheet`],
  ['xl/workbook.bin', 'application/vnd.ms-excel.sheet.binary.macroenabled.12'],
  ['ppt/presentation.xml', `${OFFICE}presentationml.presentation`],
  ['visio/document.xml', VISIO],
]

/** A file of another program, whose parts mean nothing on their own. */
const OTHER_PACKAGE = 'application/x-zip-package'
const PACKAGE_PARTS: [string, string][] = [
  ['[Content_Types].xml', OTHER_PACKAGE],
  ['AndroidManifest.xml', 'application/vnd.android.package-archive'],
  ['META-INF/MANIFEST.MF', 'application/java-archive'],
  ['META-INF/manifest.xml', OTHER_PACKAGE],
  ['META-INF/container.xml', OTHER_PACKAGE],
  ['WEB-INF/web.xml', 'application/java-archive'],
  ['Index/Document.iwa', OTHER_PACKAGE],
]

/** The directory identifies packages with an unusual order of parts. */
async function zipType(bytes: Uint8Array): Promise<string> {
  const detected = await signature(bytes)
  if (detected === VISIO_SIGNATURE) return VISIO
  if (detected && detected !== 'application/zip') return detected
  const names = new Set(zipNames(bytes))
  const office = names.has('[Content_Types].xml') ? OFFICE_PARTS.find(([each]) => names.has(each)) : undefined
  if (office) return office[1]
  // A Python wheel.
  if (names.values().some((name) => /^[^/]+\.dist-info\/WHEEL$/.test(name))) return OTHER_PACKAGE
  return PACKAGE_PARTS.find(([each]) => names.has(each))?.[1] ?? 'application/zip'
}

function startsWith(bytes: Uint8Array, start: string): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, start.length)).equals(
    Buffer.from(start, 'latin1'),
  )
}

/** Keeps UTF-16 pairs together. */
function evenStart(at: number): number {
  return Math.max(0, at - (at % 2))
}
