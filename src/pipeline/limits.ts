import { AppError } from '../errors.ts'

/**
 * What one document may become. 30 MB of ordinary paragraphs are about 300,000 elements; ten times that, from
 * a page of nothing but one-letter paragraphs, would take the memory of every other document in the process.
 */
export const MOST_PARTS = 500_000

export function refuseMoreParts(count: number, filename: string): void {
  if (count <= MOST_PARTS) return
  throw new AppError(
    'document_too_large',
    `working ${filename}: it comes apart into more than ${MOST_PARTS.toLocaleString('en')} pieces`,
    { fix: 'Split the page, or chunk it into larger pieces' },
  )
}
