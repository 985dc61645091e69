import { AppError } from '../../../../errors.ts'
import { oneLine } from '../one-line.ts'
import { skippedFile } from '../refusals.ts'
import { MAX_PACKED_FILE_BYTES, MAX_PATH_LENGTH, type UnpackBudget } from './limits.ts'

/** An archive to unpack; `filename` names it in errors. */
export type ArchiveFile = { filename: string; bytes: Uint8Array }

/** A file in an archive; `read` throws if it is encrypted or broken. */
export type PackedFile = { path: string; read(): Uint8Array }

/** Yields files only: directories, links and devices are left out, and nothing is written to a disk. */
export type ReadPackedFiles = (
  file: ArchiveFile,
  budget: UnpackBudget,
) => AsyncIterable<PackedFile> | Iterable<PackedFile>

/** A path that is only shown: without parents, drives, control and direction characters. */
export function cleanPath(name: string): string {
  const segments = name
    .slice(0, MAX_PATH_LENGTH * 4)
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .split(/[/\\]/)
    .map((segment) => oneLine(segment, MAX_PATH_LENGTH))
    .filter((segment) => segment !== '' && !/^(?:\.|\.\.|[A-Za-z]:)$/.test(segment))
  return segments.join('/')
}

/** What operating systems add on their own. */
export function isLitter(path: string): boolean {
  return /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|\._[^/]*$|Thumbs\.db$|desktop\.ini$)/i.test(path)
}

export function refuseLargeFile({ path, size }: { path: string; size: number }): void {
  if (size > MAX_PACKED_FILE_BYTES)
    throw new AppError(
      'file_too_large',
      `reading ${path}: it is larger than ${MAX_PACKED_FILE_BYTES / 1_000_000} MB, the maximum`,
    )
}

export function refuseLongPath(path: string): void {
  if (path.length <= MAX_PATH_LENGTH) return
  const what = `its path has more than ${MAX_PATH_LENGTH} characters`
  throw skippedFile(shownPath(path), what)
}

/** For messages. */
export function shownPath(path: string): string {
  return oneLine(path, 200)
}
