import type { Element } from '../document.ts'
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

/** Text is cut into elements in one go, which takes seconds from here on, in which nothing else is answered. */
const MOST_TEXT_BYTES = 20_000_000

export function refuseMoreBytes(count: number, filename: string): void {
  if (count <= MOST_TEXT_BYTES) return
  throw new AppError('file_too_large', `partitioning ${filename}: it is text of more than 20 MB`, {
    fix: 'Split the file',
  })
}

/** Text with its markup and pictures, and whatever else is said of each element: of a book it is a few megabytes. */
const MOST_LETTERS = 100_000_000

export function refuseMoreLetters(elements: readonly Element[], filename: string): void {
  let letters = 0
  for (const { text, metadata } of elements) {
    const { filename: _name, filetype: _type, ...said } = metadata
    letters += text.length + lettersOf(Object.values(said))
    if (letters <= MOST_LETTERS) continue
    throw new AppError('document_too_large', `reading ${filename}: it comes to more than 100 MB of text`, {
      fix: 'Split the file, if it is what it says it is',
    })
  }
}

function lettersOf(values: readonly unknown[]): number {
  let sum = 0
  for (const value of values) {
    if (typeof value === 'string') sum += value.length
    else if (typeof value === 'object' && value) sum += lettersOf(Object.values(value))
  }
  return sum
}
