import type { AppError } from '../../../../errors.ts'
import { tooLargeFile } from '../refusals.ts'

/** Directories and links included. */
export const MAX_ARCHIVE_ENTRIES = 10_000
/** Files that are read, those of nested archives included. */
const MAX_PACKED_FILES = 1000
/** As much as an attached file may have. */
export const MAX_PACKED_FILE_BYTES = 100_000_000
/** Of all files together, those of nested archives included. */
const MAX_UNPACKED_BYTES = 500_000_000
/** As for office files: a large archive that expands further is a zip bomb. */
const MAX_RATIO = 200
const MIN_BYTES_FOR_RATIO = 20_000_000
/** An archive in an archive in an archive. */
export const MAX_DEPTH = 3
/** Elements repeat the path. */
export const MAX_PATH_LENGTH = 500

/** What an archive may still unpack, together with the archives inside it. */
export type UnpackBudget = {
  /** Throws before more is unpacked than allowed. */
  takeBytes(count: number): void
  takeFile(): void
  /** The refusal of the whole archive, unlike the failure of one file in it. */
  refusal(): AppError | null
}

export function unpackBudget({ bytes, filename }: { bytes: Uint8Array; filename: string }): UnpackBudget {
  const maxBytes = Math.min(MAX_UNPACKED_BYTES, Math.max(MIN_BYTES_FOR_RATIO, bytes.length * MAX_RATIO))
  let unpacked = 0
  let files = 0
  let refused: AppError | null = null
  const refuse = (what: string) => {
    refused = tooLargeFile(filename, what, 'If the archive is genuine, split it')
    throw refused
  }
  return {
    takeBytes(count) {
      unpacked += count
      if (unpacked > maxBytes) refuse(`it expands to more than ${Math.round(maxBytes / 1_000_000)} MB`)
    },
    takeFile() {
      if (++files > MAX_PACKED_FILES)
        refuse(`it has more than ${MAX_PACKED_FILES.toLocaleString('en')} files`)
    },
    refusal: () => refused,
  }
}
