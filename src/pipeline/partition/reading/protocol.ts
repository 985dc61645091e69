import type { ComputeTask } from '../../../compute.ts'
import type { DocumentWarning, Element } from '../../../document.ts'
import type { ErrorCode } from '../../../errors.ts'
import type { ChunkRequest } from '../../chunk/chunk-elements.ts'
import type { FileToRead } from '../files/reading-file.ts'
import type { TextDocument } from '../text.ts'

/** A page as a picture. */
export type RenderedPage = { page: number; pages: number; png: Uint8Array }

/** What a reader can do. `file` names the document in errors. */
export type ReaderWork =
  | { kind: 'read' | 'pictures'; file: FileToRead }
  | { kind: 'text'; file: TextDocument }
  | { kind: 'chunk'; file: { filename: string }; elements: Element[]; request: ChunkRequest }
  | { kind: 'compute'; file: { filename: string }; task: ComputeTask }

/** `elements` precede a task in parts. `more` requests the next picture, so that at most one waits. */
export type ToReader = ReaderWork | { kind: 'elements'; elements: Element[] } | { kind: 'more' }

/** Sending or receiving as many takes about 5 ms. */
export const ELEMENTS_PER_MESSAGE = 1000

export type FromReader =
  | { kind: 'ready' }
  | { kind: 'progress' }
  | { kind: 'picture'; picture: RenderedPage }
  /** In parts, because receiving all elements of a large file at once would block the service. */
  | { kind: 'elements'; elements: Element[] }
  | { kind: 'value'; value: unknown }
  | (ReaderOutcome & { needsReplacement: boolean })

/** `needsReplacement`: a failure or held memory makes the process unfit for another file. */
export type ReaderOutcome =
  | { kind: 'done'; warnings: DocumentWarning[] }
  | { kind: 'failed'; code: ErrorCode; message: string; fix?: string; cause: string }

/** Above this memory, or without its parent, the process ends. The parent normally removes `folder`. */
export type WatchOptions = { maxBytes: number; parent: number; folder: string }

/** Written to stderr before the process ends. */
export const OVER_MEMORY = 'millrace: memory limit'
