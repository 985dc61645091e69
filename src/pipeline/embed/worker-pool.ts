import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../errors.ts'

export type ToWorker = { id: number; text: string }
export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'vector'; id: number; vector: Float32Array }
  | { kind: 'failed'; id: number; reason: string }

type PoolOptions = { script: URL; data?: unknown; threads: number; graceMs?: number; idleMs?: number }

/** The current text and the next one, so that no worker waits for a message. */
const TASKS_PER_THREAD = 2
/** Time for unfinished texts when the pool closes: two per thread, about 0.1 s each. */
const GRACE_MS = 5000
/** A thread holds about 90 MB. */
const IDLE_MS = 60_000
/** A text whose thread died gets one more thread. */
const MAX_ATTEMPTS = 2

type Batch = { workspace: string; left: number; vectors: Float32Array[]; done(error?: unknown): void }
type Task = { text: string; index: number; batch: Batch; attempts: number }
type Thread = { worker: Worker; ready: boolean; tasks: Map<number, Task> }

/** Threads start on demand and keep the process alive only while working. */
export class WorkerPool {
  readonly stats = { embedded: 0, started: 0, crashed: 0 }
  readonly #options: PoolOptions
  readonly #threads = new Set<Thread>()
  /** By workspace, the next one first. */
  readonly #queue = new Map<string, Task[]>()
  #nextId = 0
  #closed = false
  #idleTimer: NodeJS.Timeout | null = null

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Running threads. */
  get size(): number {
    return this.#threads.size
  }

  /** Vectors in the order of the texts. One failure fails all and drops the waiting texts. */
  run(texts: string[], signal: AbortSignal): Promise<Float32Array[]> {
    return this.runFor('', texts, signal)
  }

  /** Workspaces take turns, text by text. */
  runFor(workspace: string, texts: string[], signal: AbortSignal): Promise<Float32Array[]> {
    signal.throwIfAborted()
    if (this.#closed) throw new AppError('embedder_failed', 'embedding: the embedder was closed')
    return new Promise((resolve, reject) => {
      const abort = () => batch.done(signal.reason)
      const batch: Batch = {
        workspace,
        left: texts.length,
        vectors: [],
        done: (error) => {
          signal.removeEventListener('abort', abort)
          if (error === undefined) return resolve(batch.vectors)
          const waiting = this.#waiting(workspace).filter((task) => task.batch !== batch)
          this.#setWaiting(workspace, waiting)
          reject(error)
        },
      }
      signal.addEventListener('abort', abort, { once: true })
      const tasks = texts.map((text, index) => ({ text, index, batch, attempts: 0 }))
      this.#setWaiting(workspace, [...this.#waiting(workspace), ...tasks])
      if (texts.length === 0) batch.done()
      this.#dispatch()
    })
  }

  /** Terminating a busy thread crashes the process, so each finishes its texts first. */
  async close(): Promise<void> {
    this.#closed = true
    this.#stopIdleTimer()
    const threads = [...this.#threads]
    this.#threads.clear()
    this.#failAll(threads, new AppError('embedder_failed', 'embedding: the embedder was closed'))
    this.#queue.clear()
    await Promise.all(threads.map((thread) => this.#end(thread)))
  }

  async #end({ worker, tasks }: Thread): Promise<void> {
    const { graceMs = GRACE_MS } = this.#options
    const until = AbortSignal.timeout(graceMs)
    // After its exit a thread answers no more, so there is nothing to wait for.
    const ended = Promise.race([once(worker, 'exit'), once(until, 'abort')]).catch(() => {})
    let hasEnded = false
    // `#receive` has already removed the finished task.
    while (tasks.size > 0 && !hasEnded) {
      const answered = once(worker, 'message').catch(() => {})
      hasEnded = await Promise.race([answered.then(() => false), ended.then(() => true)])
    }
    await worker.terminate()
  }

  #dispatch(): void {
    if (this.#queue.size > 0) this.#stopIdleTimer()
    while (this.#queue.size > 0) {
      const thread = this.#freeThread()
      if (!thread) return
      const task = this.#takeTask()
      const id = this.#nextId++
      if (thread.tasks.size === 0) thread.worker.ref()
      thread.tasks.set(id, task)
      thread.worker.postMessage({ id, text: task.text } satisfies ToWorker)
    }
  }

  #waiting(workspace: string): Task[] {
    return this.#queue.get(workspace) ?? []
  }

  #setWaiting(workspace: string, tasks: Task[]): void {
    if (tasks.length > 0) this.#queue.set(workspace, tasks)
    else this.#queue.delete(workspace)
  }

  /** The workspace goes to the end of the line. */
  #takeTask(): Task {
    const [workspace, tasks] = this.#queue.entries().next().value!
    const task = tasks.shift()!
    this.#queue.delete(workspace)
    this.#setWaiting(workspace, tasks)
    return task
  }

  /** The least busy thread; starts a new one before any gets a second text. */
  #freeThread(): Thread | null {
    const leastBusy = [...this.#threads].sort((a, b) => a.tasks.size - b.tasks.size)[0]
    if (leastBusy?.tasks.size === 0) return leastBusy
    if (this.#threads.size < this.#options.threads) return this.#start()
    return leastBusy && leastBusy.tasks.size < TASKS_PER_THREAD ? leastBusy : null
  }

  #start(): Thread {
    const worker = new Worker(this.#options.script, { workerData: this.#options.data })
    const thread: Thread = { worker, ready: false, tasks: new Map() }
    let cause: unknown
    worker.on('message', (message: FromWorker) => this.#receive(thread, message))
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => this.#onExit(thread, cause))
    this.#threads.add(thread)
    this.stats.started++
    return thread
  }

  #receive(thread: Thread, message: FromWorker): void {
    if (message.kind === 'ready') {
      thread.ready = true
      return
    }
    const task = thread.tasks.get(message.id)
    if (!task) return
    thread.tasks.delete(message.id)
    if (message.kind === 'vector') this.#settle(task, message.vector)
    else task.batch.done(new AppError('embedder_failed', `embedding a text: ${message.reason}`))
    this.#dispatch()
    if (thread.tasks.size === 0) thread.worker.unref()
    this.#startIdleTimer()
  }

  #startIdleTimer(): void {
    if (this.#closed || [...this.#threads].some(({ tasks }) => tasks.size > 0)) return
    this.#stopIdleTimer()
    this.#idleTimer = setTimeout(() => this.#endIdle(), this.#options.idleMs ?? IDLE_MS).unref()
  }

  #stopIdleTimer(): void {
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
    this.#idleTimer = null
  }

  /** Later texts start new threads. */
  #endIdle(): void {
    for (const { worker } of this.#threads) worker.terminate()
    this.#threads.clear()
  }

  #settle({ batch, index }: Task, vector: Float32Array): void {
    this.stats.embedded++
    batch.vectors[index] = vector
    if (--batch.left === 0) batch.done()
  }

  /** Counts the crash only for the first text; the others had not started. */
  #onExit(thread: Thread, cause: unknown): void {
    if (!this.#threads.delete(thread)) return
    this.stats.crashed++
    if (!thread.ready) {
      // The next thread would not start either.
      this.#failAll([thread], new AppError('embedder_failed', 'starting the embedder', { cause }))
      return
    }
    const [first, ...rest] = thread.tasks.values()
    if (first && ++first.attempts >= MAX_ATTEMPTS) {
      first.batch.done(
        new AppError('embedder_failed', 'embedding a text: its thread crashed twice', { cause }),
      )
    } else if (first) rest.unshift(first)
    for (const task of rest.toReversed()) {
      const { workspace } = task.batch
      this.#setWaiting(workspace, [task, ...this.#waiting(workspace)])
    }
    this.#dispatch()
    this.#startIdleTimer()
  }

  #failAll(threads: Thread[], error: AppError): void {
    const tasks = [
      ...[...this.#queue.values()].flat(),
      ...threads.flatMap((thread) => [...thread.tasks.values()]),
    ]
    for (const batch of new Set(tasks.map((task) => task.batch))) batch.done(error)
  }
}
