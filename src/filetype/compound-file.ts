/** A Microsoft compound file, the container of old office formats: streams in chains of sectors. */
export type CompoundFile = {
  /** Whether a stream or storage of this name, in any case, is directly in the file. */
  has(name: string): boolean
  /** The content of a stream, as far as the file holds it. */
  stream(name: string): Uint8Array | null
}

const SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
const HEADER_BYTES = 512
const ENTRY_BYTES = 128
const STREAM = 2
const MAX_SECTOR = 0xfffffff9
/** The type of a file is detected in the service itself. Real directories have few entries. */
const MAX_DIRECTORY_BYTES = 1_000_000

type Entry = { name: string; type: number; start: number; size: number }
type Sectors = { sector(index: number): Uint8Array; next(index: number): number; count: number; size: number }

/** Chains end after as many sectors as the file has, so a loop ends too. Null if it is no compound file. */
export function openCompoundFile(bytes: Uint8Array): CompoundFile | null {
  if (bytes.length < HEADER_BYTES || SIGNATURE.some((byte, at) => bytes[at] !== byte)) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [shift, miniShift] = [view.getUint16(30, true), view.getUint16(32, true)]
  if (shift < 7 || shift > 16 || miniShift < 4 || miniShift > shift) return null
  const sectors = sectorsOf(bytes, view, 1 << shift)
  const directory = joinChain(sectors, view.getUint32(48, true), MAX_DIRECTORY_BYTES)
  const entries = rootEntries(directory)
  const root = directory.length < ENTRY_BYTES ? null : entryAt(viewOf(directory), 0)
  if (!root) return null
  const cutoff = view.getUint32(56, true)
  let mini: Sectors | null = null
  return {
    has: (name) => entries.has(name.toLowerCase()),
    stream(name) {
      const entry = entries.get(name.toLowerCase())
      if (entry?.type !== STREAM) return null
      if (entry.size >= cutoff) return joinChain(sectors, entry.start, entry.size)
      mini ??= miniSectors(
        joinChain(sectors, root.start, root.size),
        joinChain(sectors, view.getUint32(60, true), Number.POSITIVE_INFINITY),
        1 << miniShift,
      )
      return joinChain(mini, entry.start, entry.size)
    },
  }
}

/** The allocation table is itself in sectors: 109 in the header, more in a chain of lists. */
function sectorsOf(bytes: Uint8Array, view: DataView, size: number): Sectors {
  const count = Math.ceil(bytes.length / size) - 1
  const sector = (index: number) => bytes.subarray((index + 1) * size, (index + 2) * size)
  const perTable = size / 4
  const maxTables = Math.ceil(count / perTable)
  const tables: number[] = []
  const add = (table: number) => {
    if (table < count && tables.length < maxTables) tables.push(table)
  }
  for (let at = 76; at < HEADER_BYTES; at += 4) add(view.getUint32(at, true))
  let list = view.getUint32(68, true)
  for (let seen = 0; list < count && seen <= maxTables / (perTable - 1); seen++) {
    const numbers = viewOf(sector(list))
    if (numbers.byteLength < size) break
    for (let at = 0; at < size - 4; at += 4) add(numbers.getUint32(at, true))
    list = numbers.getUint32(size - 4, true)
  }
  const next = (index: number) => {
    const table = tables[Math.floor(index / perTable)]
    const at = table === undefined ? bytes.length : (table + 1) * size + (index % perTable) * 4
    return at + 4 <= bytes.length ? view.getUint32(at, true) : MAX_SECTOR + 1
  }
  return { sector, next, count, size }
}

function miniSectors(content: Uint8Array, table: Uint8Array, size: number): Sectors {
  const numbers = viewOf(table)
  return {
    sector: (index) => content.subarray(index * size, (index + 1) * size),
    next: (index) =>
      index * 4 + 4 <= numbers.byteLength ? numbers.getUint32(index * 4, true) : MAX_SECTOR + 1,
    count: Math.ceil(content.length / size),
    size,
  }
}

function joinChain({ sector, next, count, size }: Sectors, start: number, length: number): Uint8Array {
  const most = Math.min(count, Math.ceil(length / size))
  const found: Uint8Array[] = []
  for (let index = start; index < count && found.length < most; index = next(index)) found.push(sector(index))
  const joined = Buffer.concat(found)
  return joined.subarray(0, Math.min(length, joined.length))
}

/** The entries of a folder form a binary tree. */
function rootEntries(directory: Uint8Array): Map<string, Entry> {
  const view = viewOf(directory)
  const count = Math.floor(directory.length / ENTRY_BYTES)
  const entries = new Map<string, Entry>()
  const seen = new Set<number>([0])
  const waiting = count > 0 ? [view.getUint32(76, true)] : []
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (index >= count || seen.has(index)) continue
    seen.add(index)
    const entry = entryAt(view, index)
    entries.set(entry.name.toLowerCase(), entry)
    waiting.push(
      view.getUint32(index * ENTRY_BYTES + 68, true),
      view.getUint32(index * ENTRY_BYTES + 72, true),
    )
  }
  return entries
}

function entryAt(view: DataView, index: number): Entry {
  const at = index * ENTRY_BYTES
  const length = Math.min(64, view.getUint16(at + 64, true))
  const name = new TextDecoder('utf-16le').decode(
    new Uint8Array(view.buffer, view.byteOffset + at, Math.max(0, length - 2)),
  )
  return {
    name,
    type: view.getUint8(at + 66),
    start: view.getUint32(at + 116, true),
    size: view.getUint32(at + 120, true),
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
