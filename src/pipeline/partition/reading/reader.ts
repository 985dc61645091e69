import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../../errors.ts'
import { LESS_ARENAS, LESS_MEMORY } from '../../../node-options.ts'
import { confinement, makeFolder, newFolder } from './confinement.ts'
import { memoryMbOf, type ReadingLimits, stalledMsOf } from './limits.ts'
import { networkConfinement } from './network.ts'
import { type FromReader, inMessages, OVER_MEMORY, type ReaderWork, type ToReader } from './protocol.ts'

export type ReaderTask = {
  message: ReaderWork
  /** Every message except progress; the last is `done` or `failed`. */
  deliver(message: FromReader): void
  fail(error: unknown): void
}

const MAX_START_MS = 60_000
/** Characters of stderr kept for the error. */
const MAX_STDERR_LENGTH = 4000

/** One process that reads files: starting, free, busy or ended. */
export class ReaderProcess {
  readonly exited: Promise<unknown>
  readonly #limits: ReadingLimits
  readonly #child: ChildProcess
  readonly #onChange: (reader: ReaderProcess) => void
  #task: ReaderTask | null = null
  #isReady = false
  #hasEnded = false
  #startFailure: AppError | null = null
  #stderr = ''
  #files = 0
  #timers: NodeJS.Timeout[] = []
  /** The rest of the file's time limit. */
  #leftMs = 0
  #startedAt = 0

  constructor(limits: ReadingLimits, onChange: (reader: ReaderProcess) => void) {
    this.#limits = limits
    this.#onChange = onChange
    const folder = networkConfinement().hasOwnFolder ? newFolder() : makeFolder()
    this.#child = start(limits, folder)
    this.exited = once(this.#child, 'exit')
      .catch(() => {})
      .then(() => (folder === null ? undefined : rm(folder, { recursive: true, force: true })))
      .catch(() => {})
    this.#child.on('message', (message: FromReader) => this.#receive(message))
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.#stderr = (this.#stderr + data.toString()).slice(-MAX_STDERR_LENGTH)
    })
    this.#child.on('error', () => {})
    // Not `exit`: stderr may arrive after it.
    this.#child.on('close', (code, signal) => this.#onClose(code, signal))
    this.#timers[1] = setTimeout(() => this.#endStart(new Error('it took too long')), MAX_START_MS)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get task(): ReaderTask | null {
    return this.#task
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get hasWorked(): boolean {
    return this.#files > 0
  }

  /** Without a task; it may be starting. */
  get isFree(): boolean {
    return this.#task === null && !this.#hasEnded
  }

  get isReady(): boolean {
    return this.#isReady
  }

  get startFailure(): AppError | null {
    return this.#startFailure
  }

  take(task: ReaderTask): void {
    this.#task = task
    this.#files++
    this.#keepAlive(true)
    this.#leftMs = this.#limits.totalMs
    this.#startTimers()
    void this.#sendTask(task)
  }

  /** In parts, because sending all elements of a large document at once would block the service. */
  async #sendTask(task: ReaderTask): Promise<void> {
    const { message } = task
    const maxBytes = memoryOf(message, this.#limits) * 1_000_000
    if (message.kind !== 'chunk') return this.#send({ ...message, maxBytes })
    const { elements } = message
    for (const part of inMessages(elements)) {
      if (this.#task !== task) return
      await new Promise<void>((resolve) =>
        this.#child.send({ kind: 'elements', elements: part } satisfies ToReader, () => resolve()),
      )
    }
    if (this.#task === task) this.#send({ ...message, elements: [], maxBytes })
  }

  more(): void {
    this.#startTimers()
    this.#send({ kind: 'more' })
  }

  /** Kills the process at once; its task fails with `error`. */
  end(error: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#child.kill('SIGKILL')
    this.#finish((task) => task.fail(error))
    // Keeps the process alive for callers that await `exited`.
    this.#child.ref()
    this.#onChange(this)
  }

  #startTimers(): void {
    const { filename } = this.#task?.message.file ?? { filename: '' }
    const { totalMs } = this.#limits
    clearTimeout(this.#timers[0])
    this.#startedAt = performance.now()
    this.#timers[0] = setTimeout(() => this.end(tooSlow(filename, totalMs)), Math.max(0, this.#leftMs))
    this.#restartStallTimer()
  }

  #pauseTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#leftMs -= performance.now() - this.#startedAt
  }

  #restartStallTimer(): void {
    const file = this.#task?.message.file ?? { filename: '', filetype: '' }
    const { filename } = file
    const stalledMs = stalledMsOf(file, this.#limits)
    clearTimeout(this.#timers[1])
    this.#timers[1] = setTimeout(() => this.end(tooSlow(filename, stalledMs)), stalledMs)
  }

  #receive(message: FromReader): void {
    if (message.kind === 'ready') {
      this.#isReady = true
      clearTimeout(this.#timers[1])
      this.#keepAlive(false)
      this.#onChange(this)
      return
    }
    if (message.kind === 'progress') {
      this.#restartStallTimer()
      return
    }
    if (message.kind === 'elements' || message.kind === 'value') {
      this.#restartStallTimer()
      this.#task?.deliver(message)
      return
    }
    if (message.kind === 'picture') {
      // The caller's work on a picture does not count as the file's time.
      this.#pauseTimers()
      this.#task?.deliver(message)
      return
    }
    const needsReplacement = message.needsReplacement || this.#files >= this.#limits.filesPerProcess
    this.#finish((task) => task.deliver(message))
    if (needsReplacement) this.end(null)
    else this.#onChange(this)
  }

  #onClose(code: number | null, signal: string | null): void {
    const message = this.#task?.message
    const { filename } = message?.file ?? { filename: '' }
    const cause = new Error(`ended by ${signal ?? code}: ${this.#stderr.trim()}`)
    const isOutOfMemory =
      this.#stderr.includes(OVER_MEMORY) || /heap out of memory|heap limit/i.test(this.#stderr)
    if (!this.#isReady) this.#endStart(cause)
    this.end(
      isOutOfMemory
        ? tooLarge(filename, memoryOf(message, this.#limits), cause)
        : new AppError('document_broken', `reading ${filename}: it crashed the reader`, { cause }),
    )
  }

  #endStart(cause: Error): void {
    if (this.#hasEnded) return
    this.#startFailure = new AppError('internal', 'starting the process that reads files', { cause })
    this.end(this.#startFailure)
  }

  #finish(deliver: (task: ReaderTask) => void): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers = []
    const task = this.#task
    this.#task = null
    this.#keepAlive(false)
    if (task) deliver(task)
  }

  #send(message: ToReader): void {
    // A dead process reports itself through `close`.
    this.#child.send(message, () => {})
  }

  /** An idle reader does not keep the process alive. */
  #keepAlive(isBusy: boolean): void {
    const { stderr, channel } = this.#child as ChildProcess & {
      stderr: { ref(): void; unref(): void } | null
    }
    for (const each of [this.#child, channel, stderr]) isBusy ? each?.ref() : each?.unref()
  }
}

function memoryOf(message: ReaderWork | undefined, limits: ReadingLimits): number {
  const file = message?.file
  return memoryMbOf(file && 'filetype' in file ? file.filetype : '', limits)
}

function start({ heapMb, maxReuseMb }: ReadingLimits, folder: string | null): ChildProcess {
  const script = fileURLToPath(new URL(`child${extname(import.meta.url)}`, import.meta.url))
  const nodeArguments = [
    `--max-old-space-size=${heapMb}`,
    ...LESS_MEMORY,
    '--no-warnings',
    ...confinement(folder),
  ]
  const [program, ...programArguments] = networkConfinement().command(folder)
  return fork(script, [String(maxReuseMb * 1_000_000), folder ?? ''], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Does not pass on the service's environment.
    env: { ...LESS_ARENAS, ...(folder === null ? {} : { TMPDIR: folder, HOME: folder }) },
    ...(program
      ? { execPath: program, execArgv: [...programArguments, process.execPath, ...nodeArguments] }
      : { execArgv: nodeArguments }),
  })
}

function tooSlow(filename: string, ms: number): AppError {
  return new AppError(
    'document_broken',
    `reading ${filename}: it took longer than ${Math.round(ms / 1000)} s`,
  )
}

function tooLarge(filename: string, memoryMb: number, cause: unknown): AppError {
  const message = `reading ${filename}: it takes more than ${memoryMb} MB of memory`
  return new AppError('document_too_large', message, {
    cause,
    fix: 'If the file is genuine, split it',
  })
}
