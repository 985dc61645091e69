import { encodingOf } from '../../filetype/text-encoding.ts'

/**
 * Tries the byte order mark, the declared encoding, then UTF-8. Falls back to windows-1252, which accepts any
 * bytes.
 */
export function decodeText(bytes: Uint8Array, filetype: string): string {
  const known = encodingOf(bytes, true)
  const hasMark = known === 'utf-16le' || known === 'utf-16be' || startsWith(bytes, [0xef, 0xbb, 0xbf])
  const declared = !hasMark && MARKUP.has(filetype) ? declaredEncoding(bytes) : null
  // Valid non-ASCII UTF-8 that declares another encoding is usually UTF-8.
  const isTrusted = declared && !(known === 'utf-8' && bytes.some((byte) => byte >= 0x80))
  const encoding = isTrusted ? declared : (known ?? (hasMark ? 'utf-8' : 'windows-1252'))
  return new TextDecoder(encoding).decode(bytes)
}

const MARKUP = new Set(['text/html', 'application/xml'])
/** Browsers search no further for a declared encoding. */
const MAX_DECLARATION_BYTES = 1024

function declaredEncoding(bytes: Uint8Array): string | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, MAX_DECLARATION_BYTES))
  const found =
    /<meta\s[^>]*charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start) ??
    /^\s*<\?xml\s[^>]*encoding\s*=\s*["']([\w:.-]+)/i.exec(start)
  // The declaration is readable byte by byte, so it cannot be UTF-16.
  if (!found?.[1] || /^utf-?16/i.test(found[1])) return null
  try {
    new TextDecoder(found[1], { fatal: true }).decode(bytes)
    return found[1]
  } catch {
    // Unknown encoding name, or bytes that are invalid in it.
    return null
  }
}

function startsWith(bytes: Uint8Array, start: number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte)
}
