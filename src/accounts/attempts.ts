import { LRUCache } from 'lru-cache'

/** How often something may go wrong before it has to wait; kept in memory, for this process alone. */
export interface Attempts {
  /** Counts one more and says 0, or says how many seconds are left to wait. */
  begin(key: string): number
  /** It went well after all: this one does not count. */
  undo(key: string): void
  forget(key: string): void
}

export function attempts({ max, windowMs }: { max: number; windowMs: number }): Attempts {
  const counted = new LRUCache<string, { count: number }>({ max: 20_000, ttl: windowMs })
  return {
    begin(key) {
      const entry = counted.get(key)
      if (!entry) {
        counted.set(key, { count: 1 })
        return 0
      }
      // Counted before it is known how it ends: guesses that are sent all at once are guesses, too.
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
