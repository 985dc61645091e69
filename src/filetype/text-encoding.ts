import { isUtf8 } from 'node:buffer'

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** By byte order mark, validity and control characters. Unless `whole`, the last character may be cut. */
export function encodingOf(bytes: Uint8Array, whole: boolean): Encoding | null {
  const utf16 = utf16Encoding(bytes)
  if (utf16) return isUtf16Text(bytes, utf16) ? utf16 : null
  if (hasControls(bytes)) return null
  if (isUtf8(whole ? bytes : withoutCutCharacter(bytes))) return 'utf-8'
  return isWesternText(bytes) ? 'windows-1252' : null
}

/** C0 and DEL, except tabs, breaks and the escapes of coloured logs. */
const IS_CONTROL = Array.from(
  { length: 256 },
  (_, byte) => byte === 0x7f || (byte < 0x20 && byte !== 0x1b && (byte < 9 || byte > 13)),
)

/** Of a longer file, samples decide: all of 50 MB would block the process. */
const SAMPLES = 16
const SAMPLE_BYTES = 32 * 1024

export function hasControls(bytes: Uint8Array): boolean {
  return samplesOf(bytes).some((sample) => {
    // A loop, because callbacks and iterators take ten times as long.
    for (let at = 0; at < sample.length; at++) if (IS_CONTROL[sample[at]!]) return true
    return false
  })
}

/** From the first byte to the last. */
function samplesOf(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length <= SAMPLES * SAMPLE_BYTES) return [bytes]
  const step = (bytes.length - SAMPLE_BYTES) / (SAMPLES - 1)
  return Array.from({ length: SAMPLES }, (_, at) => {
    const start = Math.round(at * step)
    return bytes.subarray(start, start + SAMPLE_BYTES)
  })
}

/** Without a mark, mostly Latin text has a zero in every other byte. */
function utf16Encoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? null : 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, Math.min(512, bytes.length - (bytes.length % 2)))
  if (sample.length < 4) return null
  const zeros = [0, 0]
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2]!++
  const [even = 0, odd = 0] = zeros
  const threshold = (sample.length / 2) * 0.8
  if (even === 0 && odd >= threshold) return 'utf-16le'
  return odd === 0 && even >= threshold ? 'utf-16be' : null
}

function isUtf16Text(bytes: Uint8Array, encoding: Encoding): boolean {
  // Decodes as a stream, so that a character cut at the end is accepted.
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/.test(decoder.decode(bytes, { stream: true }))
  } catch {
    return false
  }
}

/** A cut UTF-8 character leaves up to three bytes. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  const start = bytes.subarray(-3).findLastIndex((byte) => byte >= 0xc0)
  return start === -1 ? bytes : bytes.subarray(0, Math.max(0, bytes.length - 3) + start)
}

const UNUSED_IN_1252 = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])

/** Above 30 % non-ASCII it is another encoding or no text. */
function isWesternText(bytes: Uint8Array): boolean {
  return samplesOf(bytes).every((sample) => {
    let nonAscii = 0
    for (let at = 0; at < sample.length; at++) {
      const byte = sample[at]!
      if (byte < 0x80) continue
      if (UNUSED_IN_1252.has(byte)) return false
      nonAscii++
    }
    return nonAscii * 10 <= sample.length * 3
  })
}
