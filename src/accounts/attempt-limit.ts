import { LRUCache } from 'lru-cache'

/** Limits failed attempts, in memory and only for this process. */
export interface AttemptLimit {
  /** Counts an attempt and returns 0, or the seconds to wait. */
  begin(key: string): number
  /** Removes an attempt that succeeded from the count. */
  undo(key: string): void
  reset(key: string): void
}

export function createAttemptLimit({ max, windowMs }: { max: number; windowMs: number }): AttemptLimit {
  // `max` would reserve 0.6 MB in advance.
  const attempts = new LRUCache<string, { count: number }>({
    ...{ maxSize: 20_000, sizeCalculation: () => 1 },
    ttl: windowMs,
  })
  return {
    begin(key) {
      const entry = attempts.get(key)
      if (!entry) {
        attempts.set(key, { count: 1 })
        return 0
      }
      // Counted before the outcome is known, so that parallel guesses count too.
      if (entry.count < max) {
        entry.count++
        return 0
      }
      return Math.max(1, Math.ceil(attempts.getRemainingTTL(key) / 1000))
    },
    undo(key) {
      const entry = attempts.get(key)
      if (entry && entry.count > 0) entry.count--
    },
    reset: (key) => void attempts.delete(key),
  }
}
