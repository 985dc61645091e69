import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'

/** Runs work in order of arrival; an abort ends the wait, not the work. */
export type Limiter = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

export function createLimiter(count: number): Limiter {
  const limit = pLimit(count)
  return (work, signal) => {
    if (!signal) return limit(work)
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop, { once: true })
      void limit(async () => {
        if (signal.aborted) return
        signal.removeEventListener('abort', stop)
        await (async () => work())().then(resolve, reject)
      })
    })
  }
}

/** A limiter of all keys; one key has at most `each` of the `total` places. */
export type SharedLimiter = <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

type Places = {
  total: number
  each: number
  /** Refuses a call while `max` of its key run or wait. */
  queue?: { max: number; refuse: () => Error }
}

export function createSharedLimiter({ total, each, queue }: Places): SharedLimiter {
  const inTotal = createLimiter(total)
  const shares = new Map<string, { limit: Limiter; users: number }>()
  return async (key, work, signal) => {
    const share = shares.get(key) ?? { limit: createLimiter(each), users: 0 }
    if (queue && share.users >= queue.max) throw queue.refuse()
    shares.set(key, share)
    share.users++
    try {
      return await share.limit(() => inTotal(work, signal), signal)
    } finally {
      if (--share.users === 0) shares.delete(key)
    }
  }
}

/** Processes items, `count` at a time. After a failure no further item starts. */
export async function forEachLimited<T>(
  items: Iterable<T>,
  count: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const limit = pLimit(count)
  await limit.map(items, (item) => work(item)).finally(() => limit.clearQueue())
}

/** Each worker calls `work` once; workers share one queue of batches. The first failure aborts the others. */
export async function runWorkers(
  count: number,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController()
  const combined = AbortSignal.any([signal, failed.signal])
  const results = await Promise.allSettled(
    Array.from({ length: count }, () =>
      work(combined).catch((error) => {
        failed.abort(error)
        throw error
      }),
    ),
  )
  if (results.some((end) => end.status === 'rejected'))
    throw signal.aborted ? signal.reason : failed.signal.reason
}

/** Null if it takes longer. */
export async function within<T>(result: Promise<T>, ms: number): Promise<T | null> {
  if (!Number.isFinite(ms)) return result
  const late = new AbortController()
  const limit = sleep(ms, null, { signal: late.signal }).catch(() => null)
  try {
    return await Promise.race([result, limit])
  } finally {
    late.abort()
    result.catch(() => {})
  }
}
