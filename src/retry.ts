/** `jitter`: the minimum and maximum share of the full delay. */
export type Backoff = { firstMs: number; maxMs?: number; jitter?: readonly [number, number] }

/** Doubles with every attempt; the jitter keeps clients from retrying at the same time. */
export function backoffMs(backoff: Backoff, attempt: number, random: () => number = Math.random): number {
  const { firstMs, maxMs = Number.POSITIVE_INFINITY, jitter = [0.5, 1] } = backoff
  const [min, max] = jitter
  return Math.min(maxMs, firstMs * 2 ** (attempt - 1)) * (min + (max - min) * random())
}

/** Milliseconds of a Retry-After header with seconds or an HTTP date. */
export function parseRetryAfter(value: string | null | undefined, now: number = Date.now()): number | null {
  const header = value?.trim()
  if (!header) return null
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000
  // Date.parse accepts negative numbers too; HTTP dates start with the name of a day.
  const date = /^[a-z]/i.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
