import type { AppError } from '../../../../../errors.ts'
import type { ReadFile } from '../../reading-file.ts'
import { passwordProtected, skippedFile } from '../../refusals.ts'

export function oldVersion(filename: string, program: string): AppError {
  return skippedFile(filename, `files of ${program} are not supported`, 'Save the file in a newer format')
}

/** Newer office formats are encrypted as a whole. */
export const refuseProtected: ReadFile = async ({ filename }) => {
  throw passwordProtected(filename)
}

export const refuseXlsb: ReadFile = async ({ filename }) => {
  throw skippedFile(filename, 'binary workbooks (XLSB) are not supported', 'Save the file as XLSX')
}
