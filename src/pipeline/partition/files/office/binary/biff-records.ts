import type { Decode } from './code-pages.ts'

/** Types of records in an Excel workbook. */
export const BIFF = {
  FORMULA: 0x06,
  EOF: 0x0a,
  DATES_FROM_1904: 0x22,
  PASSWORD: 0x2f,
  CONTINUE: 0x3c,
  CODE_PAGE: 0x42,
  SHEET: 0x85,
  NUMBERS: 0xbd,
  RICH_TEXT: 0xd6,
  CELL_FORMAT: 0xe0,
  STRINGS: 0xfc,
  STRING_CELL: 0xfd,
  NUMBER: 0x203,
  TEXT: 0x204,
  BOOLEAN: 0x205,
  FORMULA_TEXT: 0x207,
  SHORT_NUMBER: 0x27e,
  NUMBER_FORMAT: 0x41e,
  START: 0x809,
} as const

type BiffRecord = { type: number; data: DataView; next: number }

export function recordAt(stream: DataView, at: number): BiffRecord | null {
  if (at + 4 > stream.byteLength) return null
  const length = stream.getUint16(at + 2, true)
  if (at + 4 + length > stream.byteLength) return null
  const data = new DataView(stream.buffer, stream.byteOffset + at + 4, length)
  return { type: stream.getUint16(at, true), data, next: at + 4 + length }
}

/** A text in one record: 8-bit letters of the workbook's code page before Excel 97, then flagged letters. */
export function readText(
  data: DataView,
  at: number,
  { length, decode }: { length: number; decode: Decode | null },
): string {
  if (decode) return decode(sliceOf(data, at, length))
  const flags = data.getUint8(at)
  const start = at + 1 + (flags & 8 ? 2 : 0) + (flags & 4 ? 4 : 0)
  return lettersOf(data, start, { length, wide: (flags & 1) === 1 })
}

/** The texts that cells share. A text may continue in the next record, with its own flags. */
export function readSharedTexts(parts: DataView[]): string[] {
  const texts: string[] = []
  let [part, at] = [0, 8]
  const remaining = () => (parts[part]?.byteLength ?? 0) - at
  const skip = (bytes: number) => {
    for (let rest = bytes; rest > 0 && part < parts.length; ) {
      const step = Math.min(rest, remaining())
      at += step
      rest -= step
      if (rest > 0) [part, at] = [part + 1, 0]
    }
  }
  while (part < parts.length) {
    if (remaining() < 3) {
      ;[part, at] = [part + 1, 0]
      continue
    }
    const data = parts[part]!
    const length = data.getUint16(at, true)
    let flags = data.getUint8(at + 2)
    const head = 3 + (flags & 8 ? 2 : 0) + (flags & 4 ? 4 : 0)
    if (remaining() < head) break
    const runs = flags & 8 ? data.getUint16(at + 3, true) * 4 : 0
    const extra = flags & 4 ? data.getUint32(at + head - 4, true) : 0
    at += head
    let text = ''
    while (text.length < length && part < parts.length) {
      const wide = (flags & 1) === 1
      const count = Math.min(length - text.length, Math.floor(remaining() / (wide ? 2 : 1)))
      text += lettersOf(parts[part]!, at, { length: count, wide })
      at += count * (wide ? 2 : 1)
      if (text.length === length) break
      ;[part, at] = [part + 1, 1]
      flags = (parts[part]?.byteLength ?? 0) > 0 ? parts[part]!.getUint8(0) : 0
    }
    texts.push(text)
    skip(runs + extra)
  }
  return texts
}

function lettersOf(data: DataView, at: number, { length, wide }: { length: number; wide: boolean }): string {
  return sliceOf(data, at, wide ? length * 2 : length).toString(wide ? 'utf16le' : 'latin1')
}

function sliceOf(data: DataView, at: number, length: number): Buffer {
  return Buffer.from(data.buffer, data.byteOffset + at, Math.max(0, Math.min(length, data.byteLength - at)))
}
