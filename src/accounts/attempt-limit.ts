import type { CountLimit, LimitCounts } from '../store/counts/counts.ts'

/** Limits failed attempts, over all processes. */
export interface AttemptLimit {
  /** Counts an attempt and returns 0, or the seconds to wait. */
  begin(key: string): Promise<number>
  /** Removes an attempt that succeeded from the count. */
  undo(key: string): Promise<void>
  reset(key: string): Promise<void>
}

export function createAttemptLimit(counts: LimitCounts, limit: CountLimit & { name: string }): AttemptLimit {
  const nameOf = (key: string) => `${limit.name} ${key}`
  return {
    // Counted before the outcome is known, so that parallel guesses count too.
    async begin(key) {
      const { granted, leftMs } = await counts.take(nameOf(key), 1, limit)
      return granted > 0 ? 0 : Math.max(1, Math.ceil(leftMs / 1000))
    },
    undo: (key) => counts.undo(nameOf(key)),
    reset: (key) => counts.reset(nameOf(key)),
  }
}
