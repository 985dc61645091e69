import type { Log } from '../connectors/type.ts'

/** Called with each state that was read; `null` ends the watch. */
type Listener<T> = (state: T | null) => void

interface JobChanges<T> {
  /** Calls the listener about once a second until the job ends. */
  watch(id: string, listener: Listener<T>): () => void
  /** Ends every watch. */
  close(): void
}

/** `hasEnded`: the state will not change any more. */
type JobChangesOptions<T> = {
  read(id: string): Promise<T | undefined>
  hasEnded(state: T): boolean
  everyMs: number
  log: Pick<Log, 'warn'>
}

// After this many failed reads in a row watches end; clients reconnect by themselves.
const MAX_FAILURES = 30

/** All listeners of one job share one read. */
export function createJobChanges<T>({ read, hasEnded, everyMs, log }: JobChangesOptions<T>): JobChanges<T> {
  type Watch = { listeners: Set<Listener<T>>; last?: T; timer?: NodeJS.Timeout; failures: number }
  const watches = new Map<string, Watch>()

  function stopWatch(id: string, watch: Watch): void {
    clearTimeout(watch.timer)
    if (watches.get(id) === watch) watches.delete(id)
  }

  function notify(watch: Watch, state: T | null): void {
    for (const listener of [...watch.listeners]) listener(state)
  }

  async function poll(id: string, watch: Watch): Promise<void> {
    const state = await read(id).catch((error: unknown) => {
      log.warn({ err: error, job_id: id }, 'reading the progress of a job failed')
      return 'failed' as const
    })
    if (watches.get(id) !== watch) return
    watch.failures = state === 'failed' ? watch.failures + 1 : 0
    if (state === undefined || watch.failures > MAX_FAILURES) {
      stopWatch(id, watch)
      return notify(watch, null)
    }
    if (state !== 'failed') {
      watch.last = state
      if (hasEnded(state)) stopWatch(id, watch)
      notify(watch, state)
      if (hasEnded(state)) return
    }
    if (watch.listeners.size === 0) return stopWatch(id, watch)
    watch.timer = setTimeout(() => void poll(id, watch), everyMs)
    watch.timer.unref()
  }

  return {
    watch(id, listener) {
      const known = watches.get(id)
      const watch: Watch = known ?? { listeners: new Set(), failures: 0 }
      watch.listeners.add(listener)
      if (!known) {
        watches.set(id, watch)
        void poll(id, watch)
      } else if (watch.last !== undefined) listener(watch.last)
      return () => {
        watch.listeners.delete(listener)
        if (watch.listeners.size === 0) stopWatch(id, watch)
      }
    },
    close() {
      for (const [id, watch] of [...watches]) {
        stopWatch(id, watch)
        notify(watch, null)
      }
    },
  }
}
