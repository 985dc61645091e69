import { LRUCache } from 'lru-cache'
import { grantedOf, type LimitCounts, type Taken } from './counts.ts'

/** `learn` sets a count that came from elsewhere. */
type MemoryCounts = LimitCounts & { learn(name: string, known: Pick<Taken, 'taken' | 'leftMs'>): void }

/** Counts of one process. */
export function memoryCounts(): MemoryCounts {
  // `max` would reserve 0.6 MB in advance.
  const counts = new LRUCache<string, { taken: number }>({ maxSize: 20_000, sizeCalculation: () => 1 })
  return {
    async take(name, wanted, { max, windowMs }) {
      const known = counts.get(name)
      const count = known ?? { taken: 0 }
      if (!known) counts.set(name, count, { ttl: windowMs })
      const leftMs = counts.getRemainingTTL(name)
      if (count.taken >= max) return { granted: 0, taken: count.taken, leftMs }
      count.taken += wanted
      return { granted: grantedOf(wanted, count.taken, max), taken: count.taken, leftMs }
    },
    async undo(name) {
      const count = counts.get(name)
      if (count && count.taken > 0) count.taken--
    },
    reset: async (name) => void counts.delete(name),
    learn: (name, { taken, leftMs }) => {
      if (leftMs > 0) counts.set(name, { taken }, { ttl: leftMs })
    },
  }
}
