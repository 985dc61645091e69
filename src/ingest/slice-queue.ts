import type { DocumentTask } from './slice-context.ts'

/** Documents per slice: enough to batch requests, few enough to retry. */
export const SLICE_SIZE = 50

/** Two slices are read while one is processed; more would wait for a CPU core. */
const MAX_CONCURRENT_SLICES = 3

/** Collects tasks into slices and processes a few at a time; `add` waits if too many run. */
export class SliceQueue {
  /** Aborted if a slice fails: the others would fail the same way. */
  readonly signal: AbortSignal
  readonly #process: (tasks: DocumentTask[], signal: AbortSignal) => Promise<void>
  readonly #stop = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #pending: DocumentTask[] = []
  #failure: { error: unknown } | null = null

  constructor(process: (tasks: DocumentTask[], signal: AbortSignal) => Promise<void>, signal: AbortSignal) {
    this.#process = process
    this.signal = AbortSignal.any([signal, this.#stop.signal])
  }

  async add(task: DocumentTask): Promise<void> {
    this.#pending.push(task)
    if (this.#pending.length >= SLICE_SIZE) await this.#flush()
  }

  /** Processes the rest. Throws the error of the first slice that failed. */
  async end(): Promise<void> {
    if (!this.#failure) await this.#flush()
    await Promise.all(this.#running)
    if (this.#failure) throw this.#failure.error
  }

  async #flush(): Promise<void> {
    const tasks = this.#pending
    this.#pending = []
    if (tasks.length === 0) return
    while (this.#running.size >= MAX_CONCURRENT_SLICES) await Promise.race(this.#running)
    const processing = this.#process(tasks, this.signal).catch((error: unknown) => {
      this.#failure ??= { error }
      this.#stop.abort(error)
    })
    const done = processing.finally(() => this.#running.delete(done))
    this.#running.add(done)
  }
}
