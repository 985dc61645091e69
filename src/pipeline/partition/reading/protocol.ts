import type { DocumentWarning, Element } from '../../../document.ts'
import type { ErrorCode } from '../../../errors.ts'
import type { FileToRead } from '../files/reading-file.ts'

/** A page of a file as a picture. */
export type PageImageFile = { page: number; pages: number; png: Uint8Array }

/** `more` asks for the next picture, so that no more than one waits. */
export type ToReader = { kind: 'read' | 'pictures'; file: FileToRead } | { kind: 'more' }

export type FromReader =
  | { kind: 'ready' }
  | { kind: 'progress' }
  | { kind: 'picture'; picture: PageImageFile }
  | (ReaderOutcome & { isWorn: boolean })

/** `isWorn` says that the next file should have another process: what went wrong, or is still held, would hurt it. */
export type ReaderOutcome =
  | { kind: 'done'; elements: Element[]; warnings: DocumentWarning[] }
  | { kind: 'failed'; code: ErrorCode; message: string; fix?: string; cause: string }

/**
 * What the reader's own watch is told: beyond this memory, or without its parent, it ends the process. `folder` is where
 * it writes in passing, which the parent removes, if there is one.
 */
export type MemoryLimits = { mostBytes: number; parent: number; folder: string }

/** What it says of that, as the last words of the process. */
export const OVER_MEMORY = 'millrace: memory limit'
