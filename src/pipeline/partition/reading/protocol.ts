import type { DocumentWarning, Element } from '../../../document.ts'
import type { ErrorCode } from '../../../errors.ts'
import type { FileToRead } from '../files/reading-file.ts'
import type { TextDocument } from '../text.ts'

/** A page as a picture. */
export type RenderedPage = { page: number; pages: number; png: Uint8Array }

/** `more` requests the next picture, so that at most one waits. */
export type ToReader =
  | { kind: 'read' | 'pictures'; file: FileToRead }
  | { kind: 'text'; file: TextDocument }
  | { kind: 'more' }

export type FromReader =
  | { kind: 'ready' }
  | { kind: 'progress' }
  | { kind: 'picture'; picture: RenderedPage }
  /** In parts, because receiving all elements of a large file at once would block the service. */
  | { kind: 'elements'; elements: Element[] }
  | (ReaderOutcome & { needsReplacement: boolean })

/** `needsReplacement`: a failure or held memory makes the process unfit for another file. */
export type ReaderOutcome =
  | { kind: 'done'; warnings: DocumentWarning[] }
  | { kind: 'failed'; code: ErrorCode; message: string; fix?: string; cause: string }

/** Above this memory, or without its parent, the process ends. The parent normally removes `folder`. */
export type WatchOptions = { maxBytes: number; parent: number; folder: string }

/** Written to stderr before the process ends. */
export const OVER_MEMORY = 'millrace: memory limit'
