import { parseRetryAfter } from '../../retry.ts'

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]

/** The schedule that Standard Webhooks recommends; three days in total. */
const DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
/** Receivers that failed together are not called again together. */
const JITTER = 0.2
/** A receiver must not postpone deliveries for ever. */
const MAX_PAUSE_MS = 24 * HOUR

/** The delay after this many failed attempts. */
export function retryDelayMs(
  attempts: number,
  { pauseMs = null, random = Math.random }: { pauseMs?: number | null; random?: () => number } = {},
): number {
  const delay = DELAYS[Math.min(attempts, DELAYS.length) - 1] ?? DELAYS[0]!
  return Math.max(delay * (1 + JITTER * random()), pauseMs ?? 0)
}

/** The pause of a Retry-After header; null if there is none. */
export function requestedPauseMs(header: string | null, now = Date.now()): number | null {
  const ms = parseRetryAfter(header, now)
  return ms ? Math.min(ms, MAX_PAUSE_MS) : null
}
