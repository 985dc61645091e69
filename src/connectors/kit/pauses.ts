import { backoffMs } from '../../retry.ts'

export type Clock = { now(): number; later(ms: number, run: () => void): () => void }

/** `burst`: too many requests at once. `quota`: the hourly quota is used up. `down`: an outage. */
const PAUSE_REASONS = ['burst', 'quota', 'down'] as const
export type PauseReason = (typeof PAUSE_REASONS)[number]
export type RateLimited = {
  reason: PauseReason
  retryAfterMs: number | null
  /** The first delay if the site names none; doubles with every refusal. */
  firstMs: number
}
export type Pause = { reason: PauseReason; leftMs: number }

/** Longer pauses fail the request. Quotas reset every hour, which some sites round up. */
export const MAX_PAUSE_MS: Record<PauseReason, number> = { burst: 300_000, down: 300_000, quota: 65 * 60_000 }
export const MAX_BACKOFF_MS = 30_000
/** An older refusal does not count for the backoff. */
const REFUSAL_MEMORY_MS = 300_000

/** The pause that refusals started; requests wait for `resumesAt`, and `until` is the end that the site named. */
export function createPauses(clock: Clock) {
  let pause: { reason: PauseReason; until: number; resumesAt: number } | null = null
  let consecutiveRefusals = 0
  let refusedAt = Number.NEGATIVE_INFINITY

  const current = () => (pause && pause.resumesAt > clock.now() ? pause : null)

  function start(reason: PauseReason, delayMs: number): Pause {
    const now = clock.now()
    const before = current()
    const resumesAt = Math.max(before?.resumesAt ?? now, now + Math.min(delayMs, MAX_PAUSE_MS[reason]))
    pause =
      before && before.until > now + delayMs
        ? { ...before, resumesAt }
        : { reason, until: now + delayMs, resumesAt }
    return { reason: pause.reason, leftMs: pause.until - now }
  }

  return {
    /** Null if requests may start. */
    leftMs: () => {
      const paused = current()
      return paused && paused.resumesAt - clock.now()
    },
    longerThan: (maxWaitMs: number): Pause | null => {
      const paused = current()
      if (!paused) return null
      const leftMs = paused.until - clock.now()
      const { reason } = paused
      return leftMs > Math.min(maxWaitMs, MAX_PAUSE_MS[reason]) ? { reason, leftMs } : null
    },
    /** Why a request waited that came at `enteredAt`; null if not for a pause. */
    reasonSince: (enteredAt: number): PauseReason | null =>
      pause && pause.resumesAt > enteredAt ? pause.reason : null,
    /** `isFirst`: of the requests that ran together. */
    refused: ({ reason, retryAfterMs, firstMs }: RateLimited, isFirst: boolean): Pause => {
      if (isFirst) {
        consecutiveRefusals = clock.now() - refusedAt > REFUSAL_MEMORY_MS ? 1 : consecutiveRefusals + 1
        refusedAt = clock.now()
      }
      const backoff = isFirst ? backoffMs({ firstMs, maxMs: MAX_BACKOFF_MS }, consecutiveRefusals) : 0
      return start(reason, Math.max(retryAfterMs ?? 0, backoff))
    },
    /** Joins a pause of another process. */
    join: ({ reason, leftMs }: { reason: string; leftMs: number }): void => {
      start(PAUSE_REASONS.find((each) => each === reason) ?? 'burst', Math.max(leftMs, 0))
    },
    responded: () => {
      consecutiveRefusals = 0
    },
  }
}
