import { LRUCache } from 'lru-cache'

/** Limits failures, in memory and only for this process. */
export interface AttemptLimit {
  /** Counts an attempt and returns 0, or the seconds to wait. */
  begin(key: string): number
  /** Uncounts an attempt that succeeded. */
  undo(key: string): void
  forget(key: string): void
}

export function createAttemptLimit({ max, windowMs }: { max: number; windowMs: number }): AttemptLimit {
  const counted = new LRUCache<string, { count: number }>({ max: 20_000, ttl: windowMs })
  return {
    begin(key) {
      const entry = counted.get(key)
      if (!entry) {
        counted.set(key, { count: 1 })
        return 0
      }
      // Counted before the outcome is known, so that parallel guesses count too.
      if (entry.count < max) {
        entry.count++
        return 0
      }
      return Math.max(1, Math.ceil(counted.getRemainingTTL(key) / 1000))
    },
    undo(key) {
      const entry = counted.get(key)
      if (entry && entry.count > 0) entry.count--
    },
    forget: (key) => void counted.delete(key),
  }
}
