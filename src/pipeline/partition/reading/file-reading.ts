import type { Compute } from '../../../compute.ts'
import type { Element } from '../../../document.ts'
import { AppError } from '../../../errors.ts'
import type { ChunkRequest } from '../../chunk/chunk-elements.ts'
import type { PartitionResult } from '../../partition-result.ts'
import type { FileToRead } from '../files/reading-file.ts'
import type { TextDocument } from '../text.ts'
import { READING_LIMITS, type ReadingLimits } from './limits.ts'
import type { FromReader, RenderedPage } from './protocol.ts'
import { ReaderProcess, type ReaderTask } from './reader.ts'

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
  /** Ids of the running processes. */
  pids(): number[]
  close(): Promise<void>
}

export function createFileReading(changed: Partial<ReadingLimits> = {}): FileReading {
  return new Readers({ ...READING_LIMITS, ...changed })
}

class Readers implements FileReading {
  readonly #limits: ReadingLimits
  readonly #readers = new Set<ReaderProcess>()
  /** Killed but not yet exited. */
  readonly #exiting = new Set<Promise<unknown>>()
  #queue: ReaderTask[] = []
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(limits: ReadingLimits) {
    this.#limits = limits
  }

  pids(): number[] {
    return [...this.#readers].flatMap(({ pid }) => pid ?? [])
  }

  read(file: FileToRead, signal: AbortSignal): Promise<PartitionResult> {
    return this.#collect({ kind: 'read', file }, signal)
  }

  partition(file: TextDocument, signal: AbortSignal): Promise<PartitionResult> {
    return this.#collect({ kind: 'text', file }, signal)
  }

  chunk(elements: Element[], request: ChunkRequest, signal: AbortSignal): Promise<PartitionResult> {
    const file = { filename: elements[0]?.metadata.filename ?? 'a document' }
    return this.#collect({ kind: 'chunk', file, elements, request }, signal)
  }

  compute: Compute = async (task, signal) => {
    let value: unknown
    for await (const message of this.#run(
      { kind: 'compute', file: { filename: task.filename }, task },
      signal,
    ))
      if (message.kind === 'value') value = message.value
    return value
  }

  async *pictures(file: FileToRead, signal: AbortSignal): AsyncGenerator<RenderedPage> {
    for await (const message of this.#run({ kind: 'pictures', file }, signal))
      if (message.kind === 'picture') yield message.picture
  }

  async #collect(task: ReaderTask['message'], signal: AbortSignal): Promise<PartitionResult> {
    const parts: Element[][] = []
    for await (const message of this.#run(task, signal)) {
      if (message.kind === 'elements') parts.push(message.elements)
      if (message.kind === 'done') return { elements: parts.flat(), warnings: message.warnings }
    }
    throw new AppError('internal', `reading ${task.file.filename}: the reader returned nothing`)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    const waiting = this.#queue
    this.#queue = []
    for (const task of waiting) task.fail(closed(task.message.file))
    for (const reader of this.#readers)
      reader.end(closed(reader.task?.message.file ?? { filename: 'a file' }))
    await Promise.all(this.#exiting)
  }

  /** Messages of one task. Aborting, or leaving the loop, kills the process. */
  async *#run(message: ReaderTask['message'], signal: AbortSignal): AsyncGenerator<FromReader> {
    const { file } = message
    signal.throwIfAborted()
    if (this.#isClosed) throw closed(file)
    const messages: FromReader[] = []
    let failure: { error: unknown } | null = null
    let wake = () => {}
    const task: ReaderTask = {
      message,
      deliver: (received) => {
        messages.push(received)
        wake()
      },
      fail: (error) => {
        failure ??= { error }
        wake()
      },
    }
    const abort = () => this.#drop(task, signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    let hasEnded = false
    try {
      this.#queue.push(task)
      this.#dispatch()
      while (!hasEnded) {
        const received = messages.shift()
        if (received?.kind === 'failed') {
          hasEnded = true
          throw failed(received)
        }
        if (received) {
          hasEnded = received.kind === 'done'
          yield received
          if (received.kind === 'picture') this.#readerOf(task)?.more()
        } else if (failure) throw (failure as { error: unknown }).error
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      signal.removeEventListener('abort', abort)
      if (!hasEnded)
        this.#drop(
          task,
          new AppError('cancelled', `reading ${file.filename}: the result is no longer needed`),
        )
    }
  }

  #drop(task: ReaderTask, reason: unknown): void {
    this.#queue = this.#queue.filter((each) => each !== task)
    const reader = this.#readerOf(task)
    if (reader) reader.end(reason)
    else task.fail(reason)
  }

  #readerOf(task: ReaderTask): ReaderProcess | undefined {
    return [...this.#readers].find((reader) => reader.task === task)
  }

  #dispatch(): void {
    clearTimeout(this.#idle)
    while (this.#queue.length > 0) {
      const reader = this.#freeReader()
      if (!reader) return
      reader.take(this.#nextTask())
    }
    this.#idle = setTimeout(() => this.#endIdle(), this.#limits.idleMs).unref()
  }

  /** Text takes seconds and files with OCR take minutes, so text comes first. */
  #nextTask(): ReaderTask {
    const text = this.#queue.findIndex(({ message: { kind } }) => kind !== 'read' && kind !== 'pictures')
    const [task] = this.#queue.splice(Math.max(0, text), 1)
    return task!
  }

  #freeReader(): ReaderProcess | null {
    const free = [...this.#readers].find(({ isFree }) => isFree)
    if (free) return free
    if (this.#readers.size >= this.#limits.readers) return null
    const reader = new ReaderProcess(this.#limits, (changed) => {
      if (changed.hasEnded) this.#remove(changed)
      this.#dispatch()
    })
    this.#readers.add(reader)
    return reader
  }

  #remove(reader: ReaderProcess): void {
    this.#readers.delete(reader)
    this.#exiting.add(reader.exited)
    void reader.exited.then(() => this.#exiting.delete(reader.exited))
  }

  #endIdle(): void {
    for (const reader of this.#readers) if (reader.isFree) reader.end(null)
  }
}

function failed({ code, message, fix, cause }: Extract<FromReader, { kind: 'failed' }>): AppError {
  return new AppError(code, message, { ...(fix ? { fix } : {}), cause: new Error(cause) })
}

function closed({ filename }: { filename: string }): AppError {
  return new AppError('cancelled', `reading ${filename}: the service is closing`)
}
