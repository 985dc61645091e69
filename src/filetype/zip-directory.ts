import { decodeName } from './zip-names.ts'

const END_SIGNATURE = 0x06054b50
const END64_SIGNATURE = 0x06064b50
const LOCATOR64_SIGNATURE = 0x07064b50
const ENTRY_SIGNATURE = 0x02014b50
/** Stands for a value of 64 bits in an extra field. */
const IN_EXTRA = 0xffffffff
/** An office package has dozens of parts; those that identify it come early. */
const MAX_NAMES = 2000

/** A directory entry; `at` is the offset of the part's own header. */
export type ZipEntry = {
  name: string
  method: number
  crc: number
  compressed: number
  size: number
  at: number
  isEncrypted: boolean
  /** A directory, a symbolic link or a device. */
  isSpecial: boolean
}

/** The names in the directory of a zip; none if unreadable. */
export function zipNames(bytes: Uint8Array): string[] {
  return zipEntries(bytes, MAX_NAMES).map(({ name }) => name)
}

export function zipEntries(bytes: Uint8Array, max: number): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOfDirectory(view)
  if (end === -1) return []
  const entries: ZipEntry[] = []
  let at = startOfDirectory(view, end)
  while (entries.length < max && at + 46 <= end && view.getUint32(at, true) === ENTRY_SIGNATURE) {
    const nameEnd = at + 46 + view.getUint16(at + 28, true)
    const extraEnd = nameEnd + view.getUint16(at + 30, true)
    if (extraEnd > end) break
    entries.push(entryAt(view, { at, nameEnd, extraEnd }))
    at = extraEnd + view.getUint16(at + 32, true)
  }
  return entries
}

function entryAt(view: DataView, place: { at: number; nameEnd: number; extraEnd: number }): ZipEntry {
  const { at, nameEnd, extraEnd } = place
  const flags = view.getUint16(at + 8, true)
  const long = longValues(view, nameEnd, extraEnd)
  const value = (offset: number) => {
    const found = view.getUint32(at + offset, true)
    return found === IN_EXTRA ? (long.shift() ?? found) : found
  }
  const nameBytes = new Uint8Array(view.buffer, view.byteOffset + at + 46, nameEnd - at - 46)
  const name = decodeName(nameBytes, (flags & 0x800) !== 0)
  // The order of values in the extra field.
  const [size, compressed, offset] = [value(24), value(20), value(42)]
  return {
    name,
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    compressed,
    size,
    at: offset,
    isEncrypted: (flags & 1) !== 0,
    isSpecial: name.endsWith('/') || isSpecialFile(view.getUint8(at + 5), view.getUint16(at + 40, true)),
  }
}

const UNIX = 3
const MACOS = 19

function isSpecialFile(system: number, mode: number): boolean {
  const kind = mode & 0o170000
  return (system === UNIX || system === MACOS) && kind !== 0 && kind !== 0o100000
}

/** The values of a zip64 extra field, in its order. */
function longValues(view: DataView, from: number, end: number): number[] {
  for (let at = from; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue
    const last = Math.min(end, at + 4 + view.getUint16(at + 2, true))
    const values: number[] = []
    for (let value = at + 4; value + 8 <= last; value += 8) values.push(longAt(view, value))
    return values
  }
  return []
}

/** Up to 2^64; what exceeds the file is refused by its size. */
function longAt(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32
}

function startOfDirectory(view: DataView, end: number): number {
  const start = view.getUint32(end + 16, true)
  const locator = end - 20
  if (start !== IN_EXTRA || locator < 0 || view.getUint32(locator, true) !== LOCATOR64_SIGNATURE) return start
  const end64 = longAt(view, locator + 8)
  if (end64 + 56 > end || view.getUint32(end64, true) !== END64_SIGNATURE) return start
  return longAt(view, end64 + 48)
}

/** The last 22 bytes, before a comment of up to 65,535. */
function endOfDirectory(view: DataView): number {
  const last = view.byteLength - 22
  for (let at = last; at >= Math.max(0, last - 0xffff); at--)
    if (view.getUint32(at, true) === END_SIGNATURE) return at
  return -1
}
