import { AppError } from '../../../errors.ts'

/** The content of the file cannot be read; `what` says why. */
export function brokenFile(filename: string, what: string, cause?: unknown): AppError {
  return new AppError('document_broken', `reading ${filename}: ${what}`, { cause })
}

export function tooLargeFile(
  filename: string,
  what: string,
  fix = 'If the file is genuine, split it',
): AppError {
  return new AppError('document_too_large', `reading ${filename}: ${what}`, { fix })
}

/** The file is skipped until it changes. */
export function skippedFile(filename: string, what: string, fix?: string): AppError {
  return new AppError('document_unsupported', `reading ${filename}: ${what}`, fix ? { fix } : {})
}

export function passwordProtected(filename: string): AppError {
  return skippedFile(filename, 'it is protected by a password')
}

/** Any error of the parser means a broken file, except those of ours. */
export async function parsed<T>(filename: string, what: string, parse: () => T | Promise<T>): Promise<T> {
  try {
    return await parse()
  } catch (cause) {
    throw cause instanceof AppError ? cause : brokenFile(filename, what, cause)
  }
}
