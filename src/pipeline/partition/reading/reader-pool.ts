import { AppError } from '../../../errors.ts'
import type { ReadingLimits } from './limits.ts'
import { ReaderProcess, type ReaderTask } from './reader.ts'

export type PooledTask = ReaderTask & { workspace: string }

/**
 * The reader processes of all workspaces. One workspace alone may use every place but the last, which is for workspaces
 * without one: a file can take minutes, and stopping it would lose the work.
 */
export class ReaderPool {
  readonly #limits: ReadingLimits
  readonly #readers = new Set<ReaderProcess>()
  /** Killed but not yet exited. */
  readonly #exiting = new Set<Promise<unknown>>()
  #queue: PooledTask[] = []
  /** The workspace that started a file last comes last. */
  #served: string[] = []
  /** Those that used a reader since the last idle time. */
  readonly #workspaces = new Set<string>()
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(limits: ReadingLimits) {
    this.#limits = limits
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  pids(): number[] {
    return [...this.#readers].flatMap(({ pid }) => pid ?? [])
  }

  add(task: PooledTask): void {
    this.#queue.push(task)
    this.#dispatch()
  }

  drop(task: PooledTask, reason: unknown): void {
    this.#queue = this.#queue.filter((each) => each !== task)
    const reader = this.readerOf(task)
    if (reader) reader.end(reason)
    else task.fail(reason)
  }

  readerOf(task: PooledTask): ReaderProcess | undefined {
    return [...this.#readers].find((reader) => reader.task === task)
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

  #dispatch(mayStartSpare = true): void {
    clearTimeout(this.#idle)
    const free = [...this.#readers].filter(({ isFree }) => isFree)
    const ready = free.filter(({ isReady }) => isReady)
    const turns = this.#turns()
    for (const reader of ready) {
      const task = turns.shift()
      if (task) this.#start(task, reader)
    }
    // A task waits for whichever reader is ready first: a start can take as long as many small files.
    for (let starting = free.length - ready.length; starting < turns.length; starting++) this.#addReader()
    if (mayStartSpare) this.#startSpare()
    if (this.#queue.length > 0) return
    this.#served = []
    this.#idle = setTimeout(() => this.#endIdle(), this.#limits.idleMs).unref()
  }

  #start(task: PooledTask, reader: ReaderProcess): void {
    const { workspace } = task
    this.#queue.splice(this.#queue.indexOf(task), 1)
    this.#workspaces.add(workspace)
    this.#served = withLast(this.#served, workspace)
    reader.take(task)
  }

  /** The waiting tasks that have a place, in their order. */
  #turns(): PooledTask[] {
    const busy = [...this.#readers].flatMap(({ task }) => (task as PooledTask | null) ?? [])
    const turns: PooledTask[] = []
    let served = this.#served
    for (;;) {
      const task = this.#nextTask([...busy, ...turns], served)
      if (!task) return turns
      turns.push(task)
      served = withLast(served, task.workspace)
    }
  }

  /** Workspaces take turns. Text takes seconds and files with OCR take minutes, so text comes first. */
  #nextTask(busy: PooledTask[], served: string[]): PooledTask | undefined {
    const { readers } = this.#limits
    const held = (workspace: string) => busy.filter((task) => task.workspace === workspace).length
    const allowed = this.#queue.filter(
      (task) =>
        !busy.includes(task) &&
        (busy.length < readers || (busy.length === readers && held(task.workspace) === 0)),
    )
    const rank = ({ workspace, message }: PooledTask) => [
      held(workspace),
      served.indexOf(workspace),
      message.kind === 'read' || message.kind === 'pictures' ? 1 : 0,
    ]
    return allowed.toSorted((a, b) => compare(rank(a), rank(b)))[0]
  }

  /**
   * A start takes longer than a small file, so one is ready before another workspace needs it: while several use them, as
   * many as they can use at once.
   */
  #startSpare(): void {
    const isFree = () => this.#workspaces.size < 2 && [...this.#readers].some((reader) => reader.isFree)
    while (
      !this.#isClosed &&
      this.#workspaces.size > 0 &&
      this.#readers.size <= this.#limits.readers &&
      !isFree()
    )
      this.#addReader()
  }

  #addReader(): void {
    const reader = new ReaderProcess(this.#limits, (changed) => {
      if (changed.hasEnded) this.#remove(changed)
      if (changed.startFailure) this.#failNext(changed.startFailure)
      // One that ends without a file, such as at its start, would be replaced for ever.
      this.#dispatch(!changed.hasEnded || changed.hasWorked)
    })
    this.#readers.add(reader)
  }

  #failNext(failure: AppError): void {
    const [task] = this.#turns()
    if (task) this.drop(task, failure)
  }

  #remove(reader: ReaderProcess): void {
    this.#readers.delete(reader)
    this.#exiting.add(reader.exited)
    void reader.exited.then(() => this.#exiting.delete(reader.exited))
  }

  /** Keeps one while another is busy. */
  #endIdle(): void {
    this.#workspaces.clear()
    const free = [...this.#readers].filter(({ isFree }) => isFree)
    const isBusy = free.length < this.#readers.size
    for (const reader of isBusy ? free.slice(1) : free) reader.end(null)
  }
}

export function closed({ filename }: { filename: string }): AppError {
  return new AppError('service_closing', `reading ${filename}: the service is closing`)
}

function withLast(served: string[], workspace: string): string[] {
  return [...served.filter((each) => each !== workspace), workspace]
}

function compare(a: number[], b: number[]): number {
  const at = a.findIndex((value, index) => value !== b[index])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
