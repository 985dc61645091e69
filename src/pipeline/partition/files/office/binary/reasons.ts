import { AppError } from '../../../../../errors.ts'
import type { ReadFile } from '../../reading-file.ts'

export function passwordProtected(filename: string): AppError {
  return new AppError('document_unsupported', `reading ${filename}: it is protected by a password`)
}

export function oldVersion(filename: string, program: string): AppError {
  return new AppError('document_unsupported', `reading ${filename}: files of ${program} are not supported`, {
    fix: 'Save the file in a newer format',
  })
}

export function brokenDocument(filename: string, cause?: unknown): AppError {
  return new AppError('document_broken', `reading ${filename}: not a readable document`, { cause })
}

/** Newer office formats are encrypted as a whole. */
export const refuseProtected: ReadFile = async ({ filename }) => {
  throw passwordProtected(filename)
}

export const refuseXlsb: ReadFile = async ({ filename }) => {
  throw new AppError(
    'document_unsupported',
    `reading ${filename}: binary workbooks (XLSB) are not supported`,
    {
      fix: 'Save the file as XLSX',
    },
  )
}
