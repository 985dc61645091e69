import type { Element } from '../document.ts'
import { AppError } from '../errors.ts'

/** 30 MB of paragraphs are 300,000 elements; 3 million exhaust memory. */
export const MAX_ELEMENTS = 500_000

export function refuseTooManyParts(count: number, filename: string, max = MAX_ELEMENTS): void {
  if (count <= max) return
  throw new AppError(
    'document_too_large',
    `processing ${filename}: it has more than ${max.toLocaleString('en')} elements`,
    { fix: 'Split the page, or use larger chunks' },
  )
}

/** Numbers in the vectors of one document: 160 MB, or 52,083 chunks for the built-in model. */
export const MAX_VECTOR_NUMBERS = 20_000_000

/** How many chunks of one document can get vectors of this dimension. */
export function maxEmbeddedChunks(dims: number): number {
  return Math.min(MAX_ELEMENTS, Math.floor(MAX_VECTOR_NUMBERS / dims))
}

/** Partitioning text blocks the process, for seconds above this size. */
const MAX_TEXT_BYTES = 20_000_000

export function refuseLargeText(count: number, filename: string): void {
  if (count <= MAX_TEXT_BYTES) return
  throw new AppError('file_too_large', `partitioning ${filename}: it has more than 20 MB of text`, {
    fix: 'Split the file',
  })
}

/** Characters of text and metadata; a book has a few million. */
const MAX_CHARACTERS = 100_000_000

export function refuseLargeElements(elements: readonly Element[], filename: string): void {
  let characters = 0
  for (const element of elements) {
    characters += elementLength(element)
    if (characters <= MAX_CHARACTERS) continue
    throw new AppError('document_too_large', `reading ${filename}: it has more than 100 MB of text`, {
      fix: 'Split the file',
    })
  }
}

/** Without what all elements of a document repeat. */
export function elementLength({ text, metadata }: Element): number {
  const { filename: _name, filetype: _type, ...rest } = metadata
  return text.length + lengthOf(Object.values(rest))
}

function lengthOf(values: readonly unknown[]): number {
  let sum = 0
  for (const value of values) {
    if (typeof value === 'string') sum += value.length
    else if (typeof value === 'object' && value) sum += lengthOf(Object.values(value))
  }
  return sum
}
