/** `spread`: the least and the most of the full delay that is waited. */
export type Backoff = { firstMs: number; maxMs?: number; spread?: readonly [number, number] }

/** Doubles with every attempt; the random share spreads clients that failed together. */
export function backoffMs(backoff: Backoff, attempt: number, random: () => number = Math.random): number {
  const { firstMs, maxMs = Number.POSITIVE_INFINITY, spread = [0.5, 1] } = backoff
  const [min, max] = spread
  return Math.min(maxMs, firstMs * 2 ** (attempt - 1)) * (min + (max - min) * random())
}

/** Milliseconds of a Retry-After header with seconds or an HTTP date. */
export function parseRetryAfter(value: string | null | undefined, now: number = Date.now()): number | null {
  const after = value?.trim()
  if (!after) return null
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1000
  // Date.parse accepts negative numbers too; HTTP dates start with the name of a day.
  const date = /^[a-z]/i.test(after) ? Date.parse(after) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
