import type { Compute } from '../../../compute.ts'
import type { Element } from '../../../document.ts'
import { AppError } from '../../../errors.ts'
import type { ChunkRequest } from '../../chunk/chunk-elements.ts'
import type { PartitionResult } from '../../partition-result.ts'
import type { FileToRead } from '../files/reading-file.ts'
import type { TextDocument } from '../text.ts'
import { WorkspaceReads } from './kept-reads.ts'
import { READING_LIMITS, type ReadingLimits } from './limits.ts'
import type { FromReader, PagePicture, RenderedPage } from './protocol.ts'
import type { ReaderTask } from './reader.ts'
import { closed, type PooledTask, ReaderPool } from './reader-pool.ts'

/** Reads files in separate processes, which may crash or be killed. */
export interface FileReading {
  read(file: FileToRead, signal: AbortSignal): Promise<PartitionResult>
  /** For text so large that it would block this process. */
  partition(text: TextDocument, signal: AbortSignal): Promise<PartitionResult>
  /** For elements so many that chunking them would block this process. */
  chunk(elements: Element[], request: ChunkRequest, signal: AbortSignal): Promise<PartitionResult>
  compute: Compute
  /** Pages of a PDF as PNG, one at a time; a picture is a single page. */
  pictures(file: FileToRead, signal: AbortSignal): AsyncGenerator<RenderedPage>
  /** One page of a PDF. */
  picture(file: FileToRead, page: number, signal: AbortSignal): Promise<PagePicture>
  /** The same processes; workspaces take turns. */
  forWorkspace(workspace: string): FileReading
  /** Ids of the running processes. */
  pids(): number[]
  close(): Promise<void>
}

export function createFileReading(changed: Partial<ReadingLimits> = {}): FileReading {
  const pool = new ReaderPool({ ...READING_LIMITS, ...changed })
  return new WorkspaceReading({ pool, reads: new WorkspaceReads() }, '')
}

class WorkspaceReading implements FileReading {
  readonly #pool: ReaderPool
  readonly #reads: WorkspaceReads
  readonly #workspace: string

  constructor({ pool, reads }: { pool: ReaderPool; reads: WorkspaceReads }, workspace: string) {
    this.#pool = pool
    this.#reads = reads
    this.#workspace = workspace
  }

  forWorkspace(workspace: string): FileReading {
    return new WorkspaceReading({ pool: this.#pool, reads: this.#reads }, workspace)
  }

  pids(): number[] {
    return this.#pool.pids()
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  async read(file: FileToRead, signal: AbortSignal): Promise<PartitionResult> {
    const reads = this.#reads.of(this.#workspace)
    if (!reads.canKeep(file)) return this.#collect({ kind: 'read', file }, signal)
    const key = await reads.keyOf(file)
    const kept = reads.get(key, file)
    if (kept) return kept
    const result = await this.#collect({ kind: 'read', file }, signal)
    reads.set(key, result)
    return result
  }

  partition(file: TextDocument, signal: AbortSignal): Promise<PartitionResult> {
    return this.#collect({ kind: 'text', file }, signal)
  }

  chunk(elements: Element[], request: ChunkRequest, signal: AbortSignal): Promise<PartitionResult> {
    const file = { filename: elements[0]?.metadata.filename ?? 'a document' }
    return this.#collect({ kind: 'chunk', file, elements, request }, signal)
  }

  compute: Compute = (task, signal) =>
    this.#value({ kind: 'compute', file: { filename: task.filename }, task }, signal)

  async picture(file: FileToRead, page: number, signal: AbortSignal): Promise<PagePicture> {
    // The reader runs the same release.
    return (await this.#value({ kind: 'picture', file, page }, signal)) as PagePicture
  }

  async *pictures(file: FileToRead, signal: AbortSignal): AsyncGenerator<RenderedPage> {
    for await (const message of this.#run({ kind: 'pictures', file }, signal))
      if (message.kind === 'picture') yield message.picture
  }

  async #value(task: ReaderTask['message'], signal: AbortSignal): Promise<unknown> {
    let value: unknown
    for await (const message of this.#run(task, signal)) if (message.kind === 'value') value = message.value
    return value
  }

  async #collect(task: ReaderTask['message'], signal: AbortSignal): Promise<PartitionResult> {
    const parts: Element[][] = []
    for await (const message of this.#run(task, signal)) {
      if (message.kind === 'elements') parts.push(message.elements)
      if (message.kind === 'done') return { elements: parts.flat(), warnings: message.warnings }
    }
    throw new AppError('internal', `reading ${task.file.filename}: the reader returned nothing`)
  }

  /** Messages of one task. Aborting, or leaving the loop, kills the process. */
  async *#run(message: ReaderTask['message'], signal: AbortSignal): AsyncGenerator<FromReader> {
    const { file } = message
    signal.throwIfAborted()
    if (this.#pool.isClosed) throw closed(file)
    const messages: FromReader[] = []
    let failure: { error: unknown } | null = null
    let wake = () => {}
    const task: PooledTask = {
      message,
      workspace: this.#workspace,
      deliver: (received) => {
        messages.push(received)
        wake()
      },
      fail: (error) => {
        failure ??= { error }
        wake()
      },
    }
    const abort = () => this.#pool.drop(task, signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    let hasEnded = false
    try {
      this.#pool.add(task)
      while (!hasEnded) {
        const received = messages.shift()
        if (received?.kind === 'failed') {
          hasEnded = true
          throw failed(received)
        }
        if (received) {
          hasEnded = received.kind === 'done'
          yield received
          if (received.kind === 'picture') this.#pool.readerOf(task)?.more()
        } else if (failure) throw (failure as { error: unknown }).error
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      signal.removeEventListener('abort', abort)
      // No one waits for the reason any more.
      if (!hasEnded) this.#pool.drop(task, null)
    }
  }
}

function failed({ code, message, fix, cause }: Extract<FromReader, { kind: 'failed' }>): AppError {
  return new AppError(code, message, { ...(fix ? { fix } : {}), cause: new Error(cause) })
}
