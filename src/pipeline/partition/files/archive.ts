import { crc32, inflateRawSync } from 'node:zlib'
import { AppError } from '../../../errors.ts'
import { type ZipEntry, zipEntries } from '../../../filetype/zip-directory.ts'

/** A book of 1,000 pages has under 100 MB of text in its parts. */
const MOST_EXPANDED = 200_000_000
/** Sheets of zeros compress to a hundredth; more, in a large file, is a zip bomb. */
const MOST_RATIO = 200
const RATIO_COUNTS_FROM = 20_000_000
const MOST_PARTS = 10_000

export type Parts = Map<string, Uint8Array>

/**
 * Unpacks the parts of a zipped document that `wanted` selects. Checks the directory against the limits
 * first, so that no library decompresses anything itself.
 */
export function unpack(
  file: { bytes: Uint8Array; filename: string },
  wanted: (name: string) => boolean,
): Parts {
  const entries = zipEntries(file.bytes, MOST_PARTS + 1)
  if (entries.length === 0) throw broken(file.filename, 'its parts cannot be found')
  if (entries.length > MOST_PARTS) throw tooMuch(file.filename, `it has more than ${MOST_PARTS} parts`)
  const meant = entries.filter(({ name }) => wanted(name))
  const total = meant.reduce((sum, { size }) => sum + size, 0)
  const packed = meant.reduce((sum, { compressed }) => sum + compressed, 0)
  if (total > MOST_EXPANDED || (total > RATIO_COUNTS_FROM && total > packed * MOST_RATIO))
    throw tooMuch(file.filename, `it expands to ${Math.round(total / 1_000_000)} MB`)
  const parts: Parts = new Map()
  for (const entry of meant) parts.set(entry.name, refuseEntities(expand(entry, file), file.filename))
  return parts
}

/** The same parts as an uncompressed archive. */
export function packArchive(parts: Parts): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, bytes] of parts) {
    const title = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800, 2)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(bytes.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(title.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(at, 10)
    pieces.push(LOCAL, common, title, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    directory.push(CENTRAL, common, tail, title)
    at += 4 + common.length + title.length + bytes.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(parts.size, 4)
  end.writeUInt16LE(parts.size, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...pieces, listed, END, end])
}

const LOCAL = Buffer.from('PK\x03\x04')
const CENTRAL = Buffer.from('PK\x01\x02\x14\x00', 'latin1')
const END = Buffer.from('PK\x05\x06')

function expand({ method, compressed, size, at }: ZipEntry, file: Parameters<typeof unpack>[0]): Uint8Array {
  const { bytes, filename } = file
  if (at + 30 > bytes.length) throw broken(filename, 'one of its parts is missing')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  const held = bytes.subarray(start, start + compressed)
  if (method === 0 && compressed !== size) throw broken(filename, 'its directory contradicts itself')
  if (method === 0) return held
  if (method !== 8) throw broken(filename, 'one of its parts is compressed in a way that is not read')
  if (size === 0) return new Uint8Array()
  try {
    return inflateRawSync(held, { maxOutputLength: size })
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooMuch(filename, 'one of its parts is larger than it says')
    throw broken(filename, 'one of its parts cannot be expanded', cause)
  }
}

/** Entities can expand a small file without limit; office programs declare none. */
function refuseEntities(bytes: Uint8Array, filename: string): Uint8Array {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 100_000))
  if (start.includes('<!ENTITY')) throw broken(filename, 'it declares entities of its own')
  return bytes
}

function tooMuch(filename: string, what: string): AppError {
  return new AppError('document_too_large', `reading ${filename}: ${what}`, {
    fix: 'Split the file, if it is what it says it is',
  })
}

function broken(filename: string, what: string, cause?: unknown): AppError {
  return new AppError('document_broken', `reading ${filename}: ${what}`, { cause })
}
