import { sourceWaits } from '../../../process-metrics.ts'
import { backoffMs } from '../../../retry.ts'
import type { SharedPace, SitePause } from '../../type.ts'
import { createLatencies } from './latency.ts'

/**
 * Adapts the number of parallel requests, because rate limits are unpublished and shared: one request more after a
 * good round, one fewer after a slow round, half as many after a refusal.
 */
export type RequestPace = {
  /** Waits until the request may start; returns the pause at once if it is longer than `maxWaitMs`. */
  enter(request: PaceRequest, signal: AbortSignal): Promise<RequestSlot | Pause>
  readonly limit: number
}
export type PaceRequest = {
  /** Requests of one kind are compared by their latency; null for none. */
  kind: string | null
  /** The longest pause to wait for; shorter than the default. */
  maxWaitMs?: number
  /** Requests below 1 use at most this share of the limit, together. */
  share?: number
}
export type RequestSlot = {
  /** The wiki responded; `ok` if with the requested content. */
  responded(how: { ok: boolean; nearLimit: boolean }): void
  /** The wiki refused; no request starts until the pause ends. */
  refused(refusal: RateLimited): Pause
  leave(): void
}

/** `burst`: too many requests at once. `quota`: the hourly quota is used up. `down`: an outage. */
const PAUSE_REASONS = ['burst', 'quota', 'down'] as const
export type PauseReason = (typeof PAUSE_REASONS)[number]
export type RateLimited = {
  reason: PauseReason
  retryAfterMs: number | null
  /** The first delay if the wiki names none; doubles with every refusal. */
  firstMs: number
}
export type Pause = { reason: PauseReason; leftMs: number }

type Waiting = { start(): void; giveUp(pause: Pause): void; maxWaitMs: number; share: number }

export type Clock = { now(): number; later(ms: number, run: () => void): () => void }

const START_LIMIT = 4
/** With more requests, sites refuse instead of responding faster. */
const MAX_LIMIT = 16
/** Longer pauses fail the request. Quotas reset every hour, which some wikis round up. */
export const MAX_PAUSE_MS: Record<PauseReason, number> = { burst: 300_000, down: 300_000, quota: 65 * 60_000 }
export const MAX_BACKOFF_MS = 30_000
/** An older refusal does not count for the backoff. */
const REFUSAL_MEMORY_MS = 300_000

/** An older lease has to be renewed before a request; the database drops leases after 15 seconds. */
const LEASE_MS = 10_000
const RENEW_MS = 3_000
const GROW_MS = 250
/** Other processes would not notice a shorter pause. */
const MIN_SHARED_PAUSE_MS = 1_000

type PaceOptions = {
  clock?: Clock
  /** The part of the budget that all processes share; null if there is only one process. */
  shared?: () => { site: string; pace: SharedPace } | null
}

export function createPace({ clock = systemClock, shared = () => null }: PaceOptions = {}): RequestPace {
  const latencies = createLatencies()
  let lease: { limit: number; renewedAt: number } | null = null
  let isRenewing = false
  let stopRenewing = () => {}
  let limit = START_LIMIT
  let active = 0
  /** Active requests with a share below 1. */
  let activeShared = 0
  /** Grows with every refusal: refusals of requests that ran together count as one. */
  let epoch = 0
  let consecutiveRefusals = 0
  let refusedAt = Number.NEGATIVE_INFINITY
  let pause: { reason: PauseReason; until: number; resumesAt: number } | null = null
  /** After an outage one request probes; the others follow once it succeeds. */
  let isDown = false
  let isProbing = false
  let stopTimer = () => {}
  const waiting: Waiting[] = []

  const currentPause = () => (pause && pause.resumesAt > clock.now() ? pause : null)
  function freeSlots(): number {
    if (isDown) return isProbing ? 0 : 1
    return allowed() - active
  }

  /** How many requests may be active now. */
  function allowed(): number {
    if (!shared()) return Math.floor(limit)
    const isValid = lease !== null && clock.now() - lease.renewedAt <= LEASE_MS
    return lease && isValid ? Math.min(Math.floor(limit), lease.limit) : 0
  }

  function renewIfOld(): void {
    const age = lease ? clock.now() - lease.renewedAt : Number.POSITIVE_INFINITY
    // The process has learned that the site can answer more.
    const isUsedUp = lease !== null && lease.limit < Math.floor(limit)
    const dueMs = (isUsedUp ? GROW_MS : RENEW_MS) - age
    if (dueMs <= 0) void renew()
    // Without a timer the request would wait for ever: no other one renews.
    else if (allowed() + active === 0 && !isRenewing) {
      stopRenewing()
      stopRenewing = clock.later(dueMs, renew)
    }
  }

  /** Repeats while there are requests. */
  async function renew(): Promise<void> {
    const budget = shared()
    if (!budget || isRenewing) return
    isRenewing = true
    stopRenewing()
    try {
      // Room to grow until the next renewal.
      const request = { wanted: Math.min(2 * Math.floor(limit), MAX_LIMIT), max: MAX_LIMIT }
      const granted = await budget.pace.lease(budget.site, request)
      lease = { limit: granted.limit, renewedAt: clock.now() }
      if (granted.pause) joinPause(granted.pause)
    } catch {
      // Without the database the last lease stays in force.
      lease = { limit: lease?.limit ?? 1, renewedAt: clock.now() }
    }
    isRenewing = false
    startWaiting()
    if (active + waiting.length > 0) stopRenewing = clock.later(RENEW_MS, renew)
  }

  function joinPause({ reason, leftMs }: SitePause): void {
    const known = PAUSE_REASONS.find((each) => each === reason) ?? 'burst'
    startPause({ reason: known, retryAfterMs: leftMs, firstMs: 0 }, false)
  }

  function announcePause(pause: Pause): void {
    const budget = shared()
    // Other processes are refused on their own if this fails.
    if (budget && pause.leftMs >= MIN_SHARED_PAUSE_MS) budget.pace.pause(budget.site, pause).catch(() => {})
  }

  function startWaiting(): void {
    stopTimer()
    // A pause without waiting requests must not keep the process alive.
    if (waiting.length === 0) return
    const paused = currentPause()
    if (paused) {
      stopTimer = clock.later(paused.resumesAt - clock.now(), startWaiting)
      return
    }
    while (freeSlots() > 0) {
      const next = nextWaiting()
      if (!next) return
      next.start()
    }
  }

  /** Full shares go first, except that one request of the others keeps its turn, so that they never starve. */
  function nextWaiting(): Waiting | undefined {
    const [first] = waiting
    if (first && (first.share >= 1 || activeShared === 0)) return first
    const maxShared = (share: number) => Math.max(1, Math.floor(allowed() * share))
    return (
      waiting.find(({ share }) => share >= 1) ?? waiting.find(({ share }) => activeShared < maxShared(share))
    )
  }

  function pauseLongerThan(maxWaitMs: number): Pause | null {
    const paused = currentPause()
    if (!paused) return null
    const leftMs = paused.until - clock.now()
    return leftMs > Math.min(maxWaitMs, MAX_PAUSE_MS[paused.reason])
      ? { reason: paused.reason, leftMs }
      : null
  }

  function startPause({ reason, retryAfterMs, firstMs }: RateLimited, isFirst: boolean): Pause {
    const backoff = isFirst ? backoffMs({ firstMs, maxMs: MAX_BACKOFF_MS }, consecutiveRefusals) : 0
    const delayMs = Math.max(retryAfterMs ?? 0, backoff)
    const now = clock.now()
    const before = currentPause()
    const resumesAt = Math.max(before?.resumesAt ?? now, now + Math.min(delayMs, MAX_PAUSE_MS[reason]))
    pause =
      before && before.until > now + delayMs
        ? { ...before, resumesAt }
        : { reason, until: now + delayMs, resumesAt }
    for (const each of [...waiting]) {
      const tooLong = pauseLongerThan(each.maxWaitMs)
      if (tooLong) each.giveUp(tooLong)
    }
    return { reason: pause.reason, leftMs: pause.until - now }
  }

  function startRequest(kind: string | null, share: number): RequestSlot {
    active++
    if (share < 1) activeShared++
    const start = { epoch, at: clock.now(), alone: active <= START_LIMIT }
    const took = () => ({ ms: clock.now() - start.at, alone: start.alone })
    const isProbe = isDown
    if (isProbe) isProbing = true
    return {
      responded: ({ ok, nearLimit }) => {
        const speed = ok && kind !== null ? latencies.rate(kind, took()) : 'usual'
        // A request from before the last refusal does not count.
        if (start.epoch < epoch) return
        consecutiveRefusals = 0
        if (isProbe) isDown = false
        if (nearLimit) limit = Math.max(1, limit - 1 / limit)
        // Slow responses may have other causes, so they never lower the limit below its start.
        else if (speed === 'overloaded') limit = Math.max(Math.min(limit, START_LIMIT), limit - 1 / limit)
        // A limit that is not used up has not been tested.
        else if (ok && speed === 'usual' && active >= limit / 2)
          limit = Math.min(MAX_LIMIT, limit + 1 / limit)
      },
      refused: (refusal) => {
        const isFirst = start.epoch === epoch
        if (isFirst) {
          epoch++
          consecutiveRefusals = clock.now() - refusedAt > REFUSAL_MEMORY_MS ? 1 : consecutiveRefusals + 1
          refusedAt = clock.now()
          if (refusal.reason === 'burst') limit = Math.max(1, limit / 2)
          if (refusal.reason === 'down') isDown = true
        }
        const started = startPause(refusal, isFirst)
        announcePause(started)
        return started
      },
      leave: () => {
        active--
        if (share < 1) activeShared--
        if (isProbe) isProbing = false
        startWaiting()
      },
    }
  }

  return {
    get limit() {
      return limit
    },
    enter: ({ kind, maxWaitMs = Number.POSITIVE_INFINITY, share = 1 }, signal) =>
      new Promise<RequestSlot | Pause>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const tooLong = pauseLongerThan(maxWaitMs)
        if (tooLong) return resolve(tooLong)
        const leaveQueue = () => {
          signal.removeEventListener('abort', stop)
          const at = waiting.indexOf(entry)
          if (at >= 0) waiting.splice(at, 1)
        }
        const stop = () => {
          leaveQueue()
          if (waiting.length === 0) stopTimer()
          reject(signal.reason)
        }
        const enteredAt = clock.now()
        const entry = {
          maxWaitMs,
          share,
          start: () => {
            leaveQueue()
            const wasPaused = pause !== null && pause.resumesAt > enteredAt
            const reason = wasPaused ? (pause?.reason ?? 'burst') : 'slot'
            sourceWaits.add({ reason }, (clock.now() - enteredAt) / 1000)
            resolve(startRequest(kind, share))
          },
          giveUp: (pause: Pause) => {
            leaveQueue()
            resolve(pause)
          },
        }
        signal.addEventListener('abort', stop, { once: true })
        waiting.push(entry)
        renewIfOld()
        startWaiting()
      }),
  }
}

const systemClock: Clock = {
  now: () => performance.now(),
  later: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
