import { fileTypeFromBuffer } from 'file-type'
import { encodingOf, hasControls } from './text-encoding.ts'
import { zipNames } from './zip-directory.ts'

/** Enough to detect a type: some signatures come after 4,000 bytes. */
export const HEAD_BYTES = 4100

/**
 * The media type by content; a name only refines plain text. Without `whole`, `isCertain` says whether it is
 * final. Text comes first: a text that begins with BMW is no image.
 */
export async function detectFiletype(head: Uint8Array, name: string, whole: boolean): Promise<string> {
  if (head.length === 0) return typeByEnding(name) ?? 'text/plain'
  const encoding = encodingOf(head, whole)
  if (encoding) {
    const start = new TextDecoder(encoding).decode(head.subarray(0, HEAD_BYTES))
    const end = new TextDecoder(encoding).decode(head.subarray(evenStart(head.length - 200)))
    return textType({ bytes: head, encoding, start, end, whole }, name)
  }
  // Other encodings are named in the markup, which is always ASCII.
  if (!hasControls(head.subarray(0, HEAD_BYTES))) {
    const markup = markupType(new TextDecoder('latin1').decode(head.subarray(0, HEAD_BYTES)), name)
    return markup ?? 'application/octet-stream'
  }
  return binaryType(head, whole)
}

/** Old office formats and Outlook messages. */
const COMPOUND = 'application/x-cfb'

/** A zip's type may appear anywhere, so it must be read whole. */
export function isCertain(filetype: string): boolean {
  return filetype !== 'application/zip' && filetype !== COMPOUND
}

/** The media type of an image, or null for other bytes. */
export async function imageType(bytes: Uint8Array): Promise<string | null> {
  const type = await detectFiletype(bytes, '', true)
  return type.startsWith('image/') ? type : null
}

type Text = { bytes: Uint8Array; encoding: string; start: string; end: string; whole: boolean }

/** Text formats that begin with a signature. */
const WRITTEN = new Set([
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
  const signed = await signature(text.bytes.subarray(0, HEAD_BYTES))
  if (signed && WRITTEN.has(signed)) return signed
  if (isJson(text)) return 'application/json'
  if (isMail(text.start)) return 'message/rfc822'
  return typeByEnding(name) ?? 'text/plain'
}

function typeByEnding(name: string): string | undefined {
  return BY_ENDING.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase())
}

const BY_ENDING = new Map([
  ['md', 'text/markdown'],
  ['markdown', 'text/markdown'],
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
  ['rst', 'text/x-rst'],
  ['eml', 'message/rfc822'],
])

/** What may precede the first tag: declarations, comments and instructions. */
const PROLOG = /^\s*(?:<\?[^>]*>|<!--[\s\S]*?-->|<!doctype\s+(?!html)[^>[]*(?:\[[^\]]*\]\s*)?>)/i

function markupType(start: string, name: string): string | null {
  let rest = start.replace(/^\ufeff/, '')
  const declared = /^\s*<\?xml\s/i.test(rest)
  for (let found = PROLOG.exec(rest); found; found = PROLOG.exec(rest)) rest = rest.slice(found[0].length)
  const root = /^\s*<(!doctype\s+html|[a-z_][\w.-]*(?::[\w.-]+)?)(?=[\s/>]|$)/i.exec(rest)
  const tag = root?.[1]?.toLowerCase() ?? ''
  if (/^(?:!doctype|html$|head$|body$)/.test(tag)) return 'text/html'
  if (tag === 'svg' || tag === 'svg:svg') return 'image/svg+xml'
  // Handwritten notes often begin with a little HTML.
  if (!declared && HTML_PARTS.has(tag)) return typeByEnding(name) === 'text/markdown' ? null : 'text/html'
  if (declared || (root && /^[^>]*\sxmlns[:=]/.test(rest))) return 'application/xml'
  return null
}

/** Tags by which browsers recognise HTML without a head. */
const HTML_PARTS = new Set(
  'a b br center div font h1 h2 h3 iframe img li meta ol p pre script span style table title ul'.split(' '),
)

/** Above this size the start and end decide, without parsing. */
const MAX_PARSED_LENGTH = 1_000_000

function isJson({ bytes, encoding, start, end, whole }: Text): boolean {
  const begins = /^\ufeff?\s*(?:\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\})|\[\s*(?:[[{"\]\d-]|true|false|null))/.test(
    start,
  )
  if (!begins || !whole) return begins
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
  const usual = ['date', 'subject', 'to', 'message-id', 'received', 'mime-version', 'return-path']
  return headers.has('from') && usual.filter((each) => headers.has(each)).length >= 2
}

async function binaryType(head: Uint8Array, whole: boolean): Promise<string> {
  const found = await signature(head.subarray(0, HEAD_BYTES))
  if (found === 'application/zip' && whole) return zipType(head)
  if (found === COMPOUND && whole) return isOutlookMessage(head) ? 'application/vnd.ms-outlook' : found
  if (found) return found
  // PDF readers accept up to 1 KB before the first line.
  const isPdf = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 1024)).includes('%PDF-')
  return isPdf ? 'application/pdf' : 'application/octet-stream'
}

/** Only Outlook messages have a stream of this name. */
function isOutlookMessage(bytes: Uint8Array): boolean {
  const name = Buffer.from('__properties_version1.0', 'utf16le')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(name)
}

async function signature(bytes: Uint8Array): Promise<string | undefined> {
  // A truncated structure has no signature.
  return (await fileTypeFromBuffer(bytes).catch(() => undefined))?.mime
}

const OFFICE = 'application/vnd.openxmlformats-officedocument.'
const PARTS: [string, string][] = [
  ['word/document.xml', `${OFFICE}wordprocessingml.document`],
  ['xl/workbook.xml', `${OFFICE}spreadsheetml.sheet`],
  ['xl/workbook.bin', 'application/vnd.ms-excel.sheet.binary.macroenabled.12'],
  ['ppt/presentation.xml', `${OFFICE}presentationml.presentation`],
]

/** The directory identifies packages with an unusual order of parts. */
async function zipType(bytes: Uint8Array): Promise<string> {
  const signed = await signature(bytes)
  if (signed && signed !== 'application/zip') return signed
  const names = new Set(zipNames(bytes))
  const part = names.has('[Content_Types].xml') ? PARTS.find(([each]) => names.has(each)) : undefined
  return part?.[1] ?? 'application/zip'
}

/** Keeps UTF-16 pairs together. */
function evenStart(at: number): number {
  return Math.max(0, at - (at % 2))
}
