const MIN_BYTES = 1_000_000
/** Six at once take 15 MB; up to 15 MB each, they took 90 MB. */
export const MAX_BYTES = 2_500_000
/** The cluster processes one request while the next is sent. */
const START_CONCURRENCY = 2
/** More requests only fill the node's queue and our memory. */
export const MAX_CONCURRENCY = 6
/** Requests grow while they are faster than this, and shrink if they take five times as long. */
const FAST_MS = 1000

/** Limits the number and size of concurrent bulk requests; the number grows while the cluster keeps up. */
export function createBulkLimits() {
  let concurrency = START_CONCURRENCY
  let bytes = MAX_BYTES
  let ceiling = MAX_BYTES
  let active = 0
  let accepted = 0
  const waiting: (() => void)[] = []

  const startWaiting = () => {
    while (active < concurrency && waiting.length > 0) {
      active++
      waiting.shift()?.()
    }
  }

  return {
    get bytes() {
      return bytes
    },
    get concurrency() {
      return concurrency
    },
    /** Resolves when one more request of `bytes` may be sent. */
    enter(signal: AbortSignal): Promise<void> {
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
        startWaiting()
      })
    },
    leave() {
      active--
      startWaiting()
    },
    /** The cluster accepted every item of a request, in this time. */
    acceptedAll(tookMs: number) {
      if (tookMs < FAST_MS) bytes = Math.min(ceiling, bytes * 1.25)
      else if (tookMs > 5 * FAST_MS) bytes = Math.max(MIN_BYTES, bytes * 0.8)
      // Grows after as many accepted requests as run at a time: from one to six in 21 requests.
      if (++accepted < concurrency || concurrency >= MAX_CONCURRENCY) return
      accepted = 0
      concurrency++
      startWaiting()
    },
    /** The cluster refused a request or some of its items. */
    refused() {
      accepted = 0
      concurrency = Math.max(1, Math.floor(concurrency / 2))
      bytes = Math.max(MIN_BYTES, bytes / 2)
    },
    /** The cluster does not accept requests of this size. */
    tooLarge(size: number) {
      ceiling = Math.max(MIN_BYTES, Math.min(ceiling, size / 2))
      bytes = Math.min(bytes, ceiling)
    },
  }
}
