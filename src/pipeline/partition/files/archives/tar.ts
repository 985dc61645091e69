import { brokenFile } from '../refusals.ts'
import { ByteStream } from './byte-stream.ts'
import { MAX_ARCHIVE_ENTRIES, MAX_PACKED_FILE_BYTES, type UnpackBudget } from './limits.ts'
import { type ArchiveFile, type PackedFile, refuseLargeFile } from './packed-file.ts'

const BLOCK = 512
/** Names of one entry that do not fit into its header. */
const MAX_HEADER_BYTES = 1_000_000

export async function* tarFiles(file: ArchiveFile, budget: UnpackBudget): AsyncGenerator<PackedFile> {
  yield* streamedFiles(new ByteStream([file.bytes]), { filename: file.filename, budget })
}

/** The files of a tar; a file has to be read before the next one. */
export async function* streamedFiles(
  stream: ByteStream,
  { filename, budget }: { filename: string; budget: UnpackBudget },
): AsyncGenerator<PackedFile> {
  /** From the entries before that describe the next one. */
  let next: { path?: string; size?: number } = {}
  for (let entries = 0; ; entries++) {
    if (entries > MAX_ARCHIVE_ENTRIES)
      throw brokenFile(filename, `it has more than ${MAX_ARCHIVE_ENTRIES} entries`)
    const header = await stream.take(BLOCK)
    if (header.length === 0 || header.every((byte) => byte === 0)) {
      if (entries === 0) throw brokenFile(filename, 'not a readable archive')
      return
    }
    if (!isTarHeader(header)) throw brokenFile(filename, 'it is damaged or cut off')
    const type = String.fromCharCode(header[156] ?? 0)
    const size = 'gxLK'.includes(type) ? numberAt(header, 124, 12) : (next.size ?? numberAt(header, 124, 12))
    // It would give the budget back.
    if (size < 0) throw brokenFile(filename, 'it is damaged or cut off')
    const padding = (BLOCK - (size % BLOCK)) % BLOCK
    if (type === 'x' || type === 'L') {
      if (size > MAX_HEADER_BYTES) throw brokenFile(filename, 'a name in it is too long')
      const content = await stream.take(size)
      next = { ...next, ...(type === 'x' ? extendedHeader(content) : { path: textOf(content) }) }
      await stream.skip(padding)
      continue
    }
    const path = next.path ?? pathOf(header)
    next = {}
    const isFile = type === '0' || type === '\0' || type === '7'
    if (!isFile || path.endsWith('/') || size === 0) {
      // Links and devices have no content, whatever they declare.
      const hasContent = !'123456'.includes(type)
      if (hasContent) {
        budget.takeBytes(size)
        if (!(await stream.skip(size + padding))) throw brokenFile(filename, 'it is cut off')
      }
      continue
    }
    budget.takeBytes(size)
    const content = size > MAX_PACKED_FILE_BYTES ? null : await stream.take(size)
    const isWhole = content ? content.length === size : await stream.skip(size)
    if (!isWhole) throw brokenFile(filename, 'it is cut off')
    yield {
      path,
      read() {
        refuseLargeFile({ path, size })
        return content ?? new Uint8Array()
      },
    }
    await stream.skip(padding)
  }
}

/** By the checksum, in which its own field counts as spaces. */
export function isTarHeader(header: Uint8Array): boolean {
  if (header.length < BLOCK) return false
  let sum = 8 * 32
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += header[at]!
  return sum === numberAt(header, 148, 8)
}

function pathOf(header: Uint8Array): string {
  const name = textOf(header.subarray(0, 100))
  const isPosix = textOf(header.subarray(257, 263)) === 'ustar'
  const prefix = isPosix ? textOf(header.subarray(345, 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Octal digits, or a binary number after a set bit. */
function numberAt(header: Uint8Array, at: number, length: number): number {
  const field = header.subarray(at, at + length)
  const [first = 0] = field
  if (first === 0x80) return field.subarray(1).reduce((value, byte) => value * 256 + byte, 0)
  return Number.parseInt(textOf(field).trim() || '0', 8) || 0
}

/** Records such as `27 path=notes/über.txt`, with their own length first. */
function extendedHeader(content: Uint8Array): { path?: string; size?: number } {
  const found: { path?: string; size?: number } = {}
  let at = 0
  while (at < content.length) {
    const space = content.indexOf(32, at)
    const length = Number(textOf(content.subarray(at, Math.max(at, space))))
    if (space === -1 || !Number.isInteger(length) || length <= 0) break
    const record = textOf(content.subarray(space + 1, at + length - 1))
    const [, name, value = ''] = /^([^=]*)=(.*)$/s.exec(record) ?? []
    if (name === 'path') found.path = value
    if (name === 'size' && /^\d{1,15}$/.test(value)) found.size = Number(value)
    at += length
  }
  return found
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end))
}
