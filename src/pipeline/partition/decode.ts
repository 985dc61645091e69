import { encodingOf } from '../../filetype/text-encoding.ts'

/**
 * The text of a file. A byte order mark says how it is written, then the file itself where it is markup, then what
 * its bytes are valid as; windows-1252 reads any bytes at all, and most of what is left.
 */
export function decodeText(bytes: Uint8Array, filetype: string): string {
  const known = encodingOf(bytes, true)
  const marked = known === 'utf-16le' || known === 'utf-16be' || startsWith(bytes, [0xef, 0xbb, 0xbf])
  const declared = !marked && MARKUP.has(filetype) ? declaredEncoding(bytes) : null
  // A page of UTF-8 that says it were something else is more often wrong than right; plain ASCII is both.
  const isTrusted = declared && !(known === 'utf-8' && bytes.some((byte) => byte >= 0x80))
  const encoding = isTrusted ? declared : (known ?? (marked ? 'utf-8' : 'windows-1252'))
  return new TextDecoder(encoding).decode(bytes)
}

const MARKUP = new Set(['text/html', 'application/xml'])
/** Browsers look no further for it. */
const DECLARED_WITHIN = 1024

function declaredEncoding(bytes: Uint8Array): string | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, DECLARED_WITHIN))
  const found =
    /<meta\s[^>]*charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start) ??
    /^\s*<\?xml\s[^>]*encoding\s*=\s*["']([\w:.-]+)/i.exec(start)
  // The declaration itself could be read byte by byte, so it is not UTF-16, whatever it says.
  if (!found?.[1] || /^utf-?16/i.test(found[1])) return null
  try {
    new TextDecoder(found[1], { fatal: true }).decode(bytes)
    return found[1]
  } catch {
    // A name that nobody knows, or bytes that are not what they are said to be.
    return null
  }
}

function startsWith(bytes: Uint8Array, start: number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte)
}
