/**
 * How many requests go at once and how large they are, found by trying. Both grow while the cluster keeps up and
 * shrink when it says that it does not, and are remembered from one write to the next.
 */
export type BulkLimits = {
  /** Resolves when there is room for one more; its size is what `bytes` says then. */
  enter(signal: AbortSignal): Promise<void>
  leave(): void
  readonly bytes: number
  readonly atOnce: number
  /** Everything was taken, in so many milliseconds. */
  tookAll(tookMs: number): void
  /** The cluster had no room, for all of it or for some. */
  refused(): void
  /** A request of so many bytes was larger than it takes at all; no later one will be. */
  tooLarge(bytes: number): void
}

const START_BYTES = 5_000_000
const LEAST_BYTES = 1_000_000
const MOST_BYTES = 15_000_000
/** One is worked on by the cluster while the other is on its way. */
const START_AT_ONCE = 2
/** More only fills the queue of a node, and so many packed bodies our memory. */
export const MOST_AT_ONCE = 6
/** A bulk that is done faster than this may be larger; one that takes five times as long was too large. */
const QUICK_MS = 1000

export function createBulkLimits(): BulkLimits {
  let atOnce = START_AT_ONCE
  let bytes = START_BYTES
  let ceiling = MOST_BYTES
  let inside = 0
  let clean = 0
  const waiting: (() => void)[] = []

  const admit = () => {
    while (inside < atOnce && waiting.length > 0) {
      inside++
      waiting.shift()?.()
    }
  }

  return {
    get bytes() {
      return bytes
    },
    get atOnce() {
      return atOnce
    },
    enter(signal) {
      return new Promise((resolve, reject) => {
        signal.throwIfAborted()
        const enter = () => {
          signal.removeEventListener('abort', stop)
          resolve()
        }
        const stop = () => {
          const at = waiting.indexOf(enter)
          if (at >= 0) waiting.splice(at, 1)
          reject(signal.reason)
        }
        signal.addEventListener('abort', stop, { once: true })
        waiting.push(enter)
        admit()
      })
    },
    leave() {
      inside--
      admit()
    },
    tookAll(tookMs) {
      if (tookMs < QUICK_MS) bytes = Math.min(ceiling, bytes * 1.25)
      else if (tookMs > 5 * QUICK_MS) bytes = Math.max(LEAST_BYTES, bytes * 0.8)
      // One more after a round in which all that went at once were taken: slow enough not to run into a refusal again
      // at once, and from one to six in 21 requests.
      if (++clean < atOnce || atOnce >= MOST_AT_ONCE) return
      clean = 0
      atOnce++
      admit()
    },
    refused() {
      clean = 0
      atOnce = Math.max(1, Math.floor(atOnce / 2))
      bytes = Math.max(LEAST_BYTES, bytes / 2)
    },
    tooLarge(size) {
      ceiling = Math.max(LEAST_BYTES, Math.min(ceiling, size / 2))
      bytes = Math.min(bytes, ceiling)
    },
  }
}
