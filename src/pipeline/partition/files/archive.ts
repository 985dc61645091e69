import { crc32, inflateRawSync } from 'node:zlib'
import { type ZipEntry, zipEntries } from '../../../filetype/zip-directory.ts'
import { brokenFile, tooLargeFile } from './refusals.ts'

/** A book of 1,000 pages has under 100 MB of text in its parts. */
const MAX_EXPANDED_BYTES = 200_000_000
/** A sheet of zeros compresses to 1 %; a large file that compresses to less than 0.5 % is a zip bomb. */
const MAX_RATIO = 200
const MIN_BYTES_FOR_RATIO = 20_000_000
const MAX_PARTS = 10_000

export type ArchiveParts = Map<string, Uint8Array>

/** Unpacks the selected parts within limits, so that no library decompresses anything itself. */
export function unpack(
  file: { bytes: Uint8Array; filename: string },
  wanted: (name: string) => boolean,
): ArchiveParts {
  const entries = zipEntries(file.bytes, MAX_PARTS + 1)
  if (entries.length === 0) throw brokenFile(file.filename, 'not a readable archive')
  if (entries.length > MAX_PARTS) throw tooLargeFile(file.filename, `it has more than ${MAX_PARTS} parts`)
  const selected = entries.filter(({ name }) => wanted(name))
  const total = selected.reduce((sum, { size }) => sum + size, 0)
  const packed = selected.reduce((sum, { compressed }) => sum + compressed, 0)
  if (total > MAX_EXPANDED_BYTES || (total > MIN_BYTES_FOR_RATIO && total > packed * MAX_RATIO))
    throw tooLargeFile(file.filename, `it expands to ${Math.round(total / 1_000_000)} MB`)
  const parts: ArchiveParts = new Map()
  for (const entry of selected) parts.set(entry.name, refuseEntities(expandEntry(entry, file), file.filename))
  return parts
}

/** The same parts as an uncompressed archive. */
export function packArchive(parts: ArchiveParts): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, bytes] of parts) {
    const nameBytes = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800, 2)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(bytes.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(nameBytes.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(at, 10)
    pieces.push(LOCAL, common, nameBytes, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    directory.push(CENTRAL, common, tail, nameBytes)
    at += 4 + common.length + nameBytes.length + bytes.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(parts.size, 4)
  end.writeUInt16LE(parts.size, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...pieces, central, END, end])
}

const LOCAL = Buffer.from('PK\x03\x04')
const CENTRAL = Buffer.from('PK\x01\x02\x14\x00', 'latin1')
const END = Buffer.from('PK\x05\x06')

/** `filename` names the archive or the part in errors. */
export function expandEntry(
  { method, compressed, size, at }: ZipEntry,
  { bytes, filename }: { bytes: Uint8Array; filename: string },
): Uint8Array {
  if (at + 30 > bytes.length) throw brokenFile(filename, 'a part is missing')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  const data = bytes.subarray(start, start + compressed)
  if (method === 0 && compressed !== size) throw brokenFile(filename, 'its directory is inconsistent')
  if (method === 0) return data
  if (method !== 8) throw brokenFile(filename, 'a part uses an unsupported compression')
  if (size === 0) return new Uint8Array()
  try {
    return inflateRawSync(data, { maxOutputLength: size })
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLargeFile(filename, 'a part is larger than declared')
    throw brokenFile(filename, 'a part cannot be unpacked', cause)
  }
}

/** Entities can expand a small file without limit; office programs declare none. */
function refuseEntities(bytes: Uint8Array, filename: string): Uint8Array {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 100_000))
  if (start.includes('<!ENTITY')) throw brokenFile(filename, 'it declares XML entities')
  return bytes
}
