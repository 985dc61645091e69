import type { ComputeTask } from '../../../compute.ts'
import type { DocumentWarning, Element } from '../../../document.ts'
import type { ErrorCode } from '../../../errors.ts'
import type { ChunkRequest } from '../../chunk/chunk-elements.ts'
import { elementLength } from '../../limits.ts'
import type { FileToRead } from '../files/reading-file.ts'
import type { TextDocument } from '../text.ts'

/** A page as a picture. */
export type RenderedPage = { page: number; pages: number; png: Uint8Array }
/** A page for a person to look at; `width` and `height` are in points. */
export type PagePicture = RenderedPage & { width: number; height: number }

/** What a reader can do. `file` names the document in errors. */
export type ReaderWork =
  | { kind: 'read' | 'pictures'; file: FileToRead }
  | { kind: 'picture'; file: FileToRead; page: number }
  | { kind: 'text'; file: TextDocument }
  | { kind: 'chunk'; file: { filename: string }; elements: Element[]; request: ChunkRequest }
  | { kind: 'compute'; file: { filename: string }; task: ComputeTask }

/** `elements` precede a task in parts. `more` requests the next picture, so that at most one waits. */
export type ToReader =
  | (ReaderWork & { maxBytes: number })
  | { kind: 'elements'; elements: Element[] }
  | { kind: 'more' }

/** Sending or receiving as many takes about 5 ms. */
const MESSAGE_ELEMENTS = 1000
const MESSAGE_CHARACTERS = 500_000

/** The elements in parts for one message each. */
export function* inMessages(elements: readonly Element[]): Generator<Element[]> {
  let part: Element[] = []
  let characters = 0
  for (const element of elements) {
    part.push(element)
    characters += elementLength(element)
    if (part.length < MESSAGE_ELEMENTS && characters < MESSAGE_CHARACTERS) continue
    yield part
    part = []
    characters = 0
  }
  if (part.length > 0) yield part
}

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

/** A file that takes longer has a lower priority from then on, so that short files of others come first. */
export const LONG_MS = 2000

/** What the watch is told: the memory for the task that begins, or that it has ended. */
export type WatchedTask = { maxBytes: number } | null

/** Without its parent, or above the memory for its task, the process ends. The parent normally removes `folder`. */
export type WatchOptions = { parent: number; folder: string }

/** Written to stderr before the process ends. */
export const OVER_MEMORY = 'millrace: memory limit'
