import { crc32 } from 'node:zlib'
import { type ZipEntry, zipEntries } from '../../../../filetype/zip-directory.ts'
import { expandEntry } from '../archive.ts'
import { brokenFile, passwordProtected } from '../refusals.ts'
import { MAX_ARCHIVE_ENTRIES, type UnpackBudget } from './limits.ts'
import { type ArchiveFile, type PackedFile, refuseLargeFile } from './packed-file.ts'

/** The files of a ZIP by its directory, whose sizes are checked before anything is unpacked. */
export function* zipFiles(file: ArchiveFile, budget: UnpackBudget): Generator<PackedFile> {
  const entries = zipEntries(file.bytes, MAX_ARCHIVE_ENTRIES + 1)
  if (entries.length > MAX_ARCHIVE_ENTRIES)
    throw brokenFile(file.filename, `it has more than ${MAX_ARCHIVE_ENTRIES} entries`)
  if (entries.length === 0 && !isEmptyZip(file.bytes))
    throw brokenFile(file.filename, 'not a readable archive')
  refuseOverlap(entries, file)
  const files = entries.filter(({ isSpecial, size }) => !isSpecial && size > 0)
  budget.takeBytes(files.reduce((sum, { size }) => sum + size, 0))
  for (const entry of files) yield { path: entry.name, read: () => readEntry(entry, file) }
}

function readEntry(entry: ZipEntry, { bytes }: ArchiveFile): Uint8Array {
  const { name: path, size } = entry
  refuseLargeFile({ path, size })
  if (entry.isEncrypted) throw passwordProtected(path)
  const expanded = expandEntry(entry, { bytes, filename: path })
  if (expanded.length !== size || crc32(expanded) !== entry.crc)
    throw brokenFile(path, 'its content is damaged')
  return expanded
}

/** Some zip bombs list the same data as many files. */
function refuseOverlap(entries: ZipEntry[], { filename, bytes }: ArchiveFile): void {
  let end = 0
  for (const { at, compressed } of entries.toSorted((a, b) => a.at - b.at)) {
    if (at < end) throw brokenFile(filename, 'its files overlap')
    end = at + compressed
  }
  if (end > bytes.length) throw brokenFile(filename, 'it is cut off')
}

function isEmptyZip(bytes: Uint8Array): boolean {
  return bytes.length >= 22 && Buffer.from(bytes.buffer, bytes.byteOffset, 4).equals(EMPTY)
}

const EMPTY = Buffer.from('PK\x05\x06')
