import type { Element } from '../../document.ts'
import { AppError } from '../../errors.ts'
import { MAX_ELEMENTS, refuseTooManyParts } from '../limits.ts'
import type { CharacterSettings } from './settings.ts'

/** How many times the characters of a document its chunks may hold. Only tables with a long header come near. */
export const MAX_GROWTH = 4

/** A one-paragraph page splits into thousands of parts; beyond this only the first part of an element keeps its origin. */
const MAX_REPEATED_ORIGIN = 4_000_000

/** Counts the chunks of a document while they are made, so that one that grows too much fails early. */
export class ChunkTally {
  readonly #filename: string
  readonly #maxChunks: number
  #charactersLeft: number
  #originLeft = MAX_REPEATED_ORIGIN
  #chunks = 0

  constructor(elements: readonly Element[], { max_chunks: maxChunks = MAX_ELEMENTS }: CharacterSettings) {
    this.#filename = elements[0]?.metadata.filename ?? ''
    this.#maxChunks = maxChunks
    this.#charactersLeft = MAX_GROWTH * elements.reduce((sum, { text }) => sum + text.length, 0)
  }

  add(text: string): void {
    refuseTooManyParts(++this.#chunks, this.#filename, this.#maxChunks)
    this.#charactersLeft -= text.length
    if (this.#charactersLeft >= 0) return
    throw new AppError(
      'document_too_large',
      `chunking ${this.#filename}: its chunks would hold more than ${MAX_GROWTH} times its text`,
      { fix: 'Use a smaller overlap, or larger chunks' },
    )
  }

  /** Whether every part of an element may hold its packed origin. */
  takeOrigin(origin: string, parts: number): boolean {
    const length = origin.length * parts
    if (length > this.#originLeft) return false
    this.#originLeft -= length
    return true
  }
}
