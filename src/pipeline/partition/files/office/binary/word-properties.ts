import { viewOf } from './word-file.ts'

/** Formatting that decides what is read, and how. */
export type WordProperties = {
  isHidden?: boolean
  isDeleted?: boolean
  isSpecial?: boolean
  isSymbol?: boolean
  tableDepth?: number
  isRowEnd?: boolean
  isInnerCellEnd?: boolean
  isHeaderRow?: boolean
  outlineLevel?: number
  list?: number
  listLevel?: number
  /** The cells of a row: left and right edges, and vertical merging. */
  cells?: WordCell[]
}

export type WordCell = { left: number; right: number; merged: 'none' | 'start' | 'up' | 'left' }

const HUGE_PROPERTIES = 0x6646
const CELLS = 0xd608
const TABS = 0xc615
const LENGTHS = [1, 1, 2, 4, 2, 2, 0, 3]

/** Reads a list of property changes; later ones win. */
export function readProperties(list: DataView, data: DataView, into: WordProperties = {}): WordProperties {
  for (let at = 0; at + 2 < list.byteLength; ) {
    const code = list.getUint16(at, true)
    at += 2
    const [start, length] = operandOf(list, at, code)
    if (start + length > list.byteLength) break
    if (code === HUGE_PROPERTIES) readHugeProperties(data, list.getUint32(start, true), into)
    else apply(code, new DataView(list.buffer, list.byteOffset + start, length), into)
    at = start + length
  }
  return into
}

function operandOf(list: DataView, at: number, code: number): [start: number, length: number] {
  const kind = code >>> 13
  if (kind !== 6) return [at, LENGTHS[kind] ?? 1]
  if (code === CELLS) return at + 2 <= list.byteLength ? [at + 2, list.getUint16(at, true) - 1] : [at, 1]
  const length = list.getUint8(at)
  if (code !== TABS || length < 255) return [at + 1, length]
  const deleted = at + 1 < list.byteLength ? list.getUint8(at + 1) : 0
  const added = at + 2 + deleted * 4 < list.byteLength ? list.getUint8(at + 2 + deleted * 4) : 0
  return [at + 1, 2 + deleted * 4 + added * 3]
}

/** Rows with many cells keep their properties in the data stream. Such a list never refers to another. */
function readHugeProperties(data: DataView, at: number, into: WordProperties): void {
  if (at + 2 > data.byteLength) return
  const length = Math.min(data.getUint16(at, true), data.byteLength - at - 2)
  readProperties(new DataView(data.buffer, data.byteOffset + at + 2, length), viewOf(null), into)
}

function apply(code: number, value: DataView, into: WordProperties): void {
  const byte = () => value.getUint8(0)
  // 0x81 means the opposite of the style, which is almost always visible.
  const isOn = () => byte() === 1 || byte() === 0x81
  if (code === 0x083c) into.isHidden = isOn()
  else if (code === 0x0800) into.isDeleted = isOn()
  else if (code === 0x0855) into.isSpecial = isOn()
  else if (code === 0x6a09) into.isSymbol = true
  else if (code === 0x2416) into.tableDepth = Math.max(into.tableDepth ?? 0, byte())
  else if (code === 0x6649) into.tableDepth = value.getUint32(0, true)
  else if (code === 0x2417 || code === 0x244c) into.isRowEnd = byte() === 1
  else if (code === 0x244b) into.isInnerCellEnd = byte() === 1
  else if (code === 0x3404) into.isHeaderRow = byte() === 1
  else if (code === 0x2640) into.outlineLevel = byte()
  else if (code === 0x460b) into.list = value.getInt16(0, true)
  else if (code === 0x260a) into.listLevel = Math.min(8, byte())
  else if (code === CELLS) into.cells = cellsOf(value)
}

function cellsOf(value: DataView): WordCell[] {
  const count = value.byteLength > 0 ? Math.min(value.getUint8(0), 64) : 0
  if (value.byteLength < 1 + (count + 1) * 2) return []
  const edge = (index: number) => value.getInt16(1 + index * 2, true)
  return Array.from({ length: count }, (_, index) => {
    const at = 1 + (count + 1) * 2 + index * 20
    const flags = at + 2 <= value.byteLength ? value.getUint16(at, true) : 0
    const up = flags & 0x20 ? (flags & 0x40 ? 'start' : 'up') : 'none'
    return { left: edge(index), right: edge(index + 1), merged: flags & 2 ? 'left' : up }
  })
}
