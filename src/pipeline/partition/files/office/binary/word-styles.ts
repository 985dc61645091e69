import { viewOf, WORD_PARTS, type WordFile } from './word-file.ts'
import { readProperties, type WordProperties } from './word-properties.ts'

/** Built-in styles: headings 1 to 9, and the title and subtitle of a document. */
const HEADINGS = new Map([
  ...Array.from({ length: 9 }, (_, at): [number, number] => [at + 1, at + 1]),
  [62, 1],
  [74, 2],
])
const PARAGRAPH_STYLE = 1
const MAX_BASES = 20

type WordStyle = { heading: number | null; properties: WordProperties }

type StyleRecord = { builtIn: number; base: number; properties: WordProperties }

/** A style inherits from its base what it does not change. */
export function readStyles(file: WordFile): (style: number) => WordStyle {
  const records = recordsOf(file)
  return (style) => {
    const found: WordStyle = { heading: null, properties: {} }
    let record = records[style]
    for (let bases = 0; record && bases < MAX_BASES; bases++) {
      found.heading ??= HEADINGS.get(record.builtIn) ?? null
      found.properties = { ...record.properties, ...found.properties }
      record = records[record.base]
    }
    return found
  }
}

function recordsOf(file: WordFile): (StyleRecord | null)[] {
  const part = file.part(WORD_PARTS.styles)
  if (part.byteLength < 6) return []
  const records: (StyleRecord | null)[] = []
  const [count, baseBytes] = [part.getUint16(2, true), part.getUint16(4, true)]
  let at = 2 + part.getUint16(0, true)
  while (records.length < count && at + 2 <= part.byteLength) {
    const length = part.getUint16(at, true)
    if (at + 2 + length > part.byteLength) break
    const record = new DataView(part.buffer, part.byteOffset + at + 2, length)
    records.push(length < 10 ? null : recordOf(record, baseBytes))
    at += 2 + length
  }
  return records
}

function recordOf(record: DataView, baseBytes: number): StyleRecord {
  const kind = record.getUint16(2, true)
  const style = { builtIn: record.getUint16(0, true) & 0xfff, base: kind >>> 4, properties: {} }
  if ((kind & 0xf) !== PARAGRAPH_STYLE || baseBytes + 2 > record.byteLength) return style
  // The name and its end, then the paragraph properties after their length and the style's own number.
  const at = baseBytes + 4 + record.getUint16(baseBytes, true) * 2
  if (at + 4 > record.byteLength) return style
  const length = Math.min(record.getUint16(at, true), record.byteLength - at - 2) - 2
  if (length <= 0) return style
  const list = new DataView(record.buffer, record.byteOffset + at + 4, length)
  return { ...style, properties: readProperties(list, viewOf(null)) }
}
