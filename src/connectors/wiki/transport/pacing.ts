import { backoffMs } from '../../../retry.ts'
import { createLatencies } from './latency.ts'

/**
 * Adapts the number of parallel requests, because rate limits are unpublished and shared: one more after a good
 * round, half after a refusal, one less after a slow round.
 */
export type RequestPace = {
  /** Waits for a turn; returns at once with the pause if it is longer than `patienceMs`. */
  enter(request: PaceRequest, signal: AbortSignal): Promise<Turn | Pause>
  readonly limit: number
}
export type PaceRequest = {
  /** Requests of one kind are compared by their latency; null for none. */
  kind: string | null
  /** The longest pause to wait for, if shorter than the usual one. */
  patienceMs?: number
}
export type Turn = {
  /** The wiki responded; `well` if with the requested content. */
  answered(how: { well: boolean; nearLimit: boolean }): void
  /** The wiki refused; no request starts until the pause ends. */
  refused(refusal: RateLimited): Pause
  leave(): void
}

/** `burst`: too many requests at once. `quota`: the hourly quota is used up. `down`: an outage. */
export type Why = 'burst' | 'quota' | 'down'
export type RateLimited = {
  why: Why
  askedMs: number | null
  /** The first delay if the wiki names none; doubles with every refusal. */
  firstMs: number
}
export type Pause = { why: Why; leftMs: number }

export type Clock = { now(): number; later(ms: number, run: () => void): () => void }

const START = 4
/** With more requests, sites refuse instead of responding faster. */
const MAX_LIMIT = 16
/** Longer pauses fail the request. Quotas reset every hour, which some wikis round up. */
export const MAX_PAUSE_MS: Record<Why, number> = { burst: 300_000, down: 300_000, quota: 65 * 60_000 }
export const MAX_BACKOFF_MS = 30_000
/** An older refusal does not count for the backoff. */
const FORGET_MS = 300_000

export function createPace(clock: Clock = systemClock): RequestPace {
  const latencies = createLatencies()
  let limit = START
  let active = 0
  /** Grows with every refusal: refusals of requests that ran together count as one. */
  let epoch = 0
  let inARow = 0
  let refusedAt = Number.NEGATIVE_INFINITY
  let pause: { why: Why; until: number; opensAt: number } | null = null
  /** After an outage one request probes; the others follow once it succeeds. */
  let isDown = false
  let isProbing = false
  let stopTimer = () => {}
  const waiting: { start(): void; dismiss(pause: Pause): void; patienceMs: number }[] = []

  const current = () => (pause && pause.opensAt > clock.now() ? pause : null)
  function room(): number {
    if (isDown) return isProbing ? 0 : 1
    return Math.floor(limit) - active
  }

  function admit(): void {
    stopTimer()
    // A pause without waiting requests must not keep the process alive.
    if (waiting.length === 0) return
    const closed = current()
    if (closed) {
      stopTimer = clock.later(closed.opensAt - clock.now(), admit)
      return
    }
    while (waiting.length > 0 && room() > 0) waiting.shift()!.start()
  }

  function tooLongFor(patienceMs: number): Pause | null {
    const closed = current()
    if (!closed) return null
    const leftMs = closed.until - clock.now()
    return leftMs > Math.min(patienceMs, MAX_PAUSE_MS[closed.why]) ? { why: closed.why, leftMs } : null
  }

  function close({ why, askedMs, firstMs }: RateLimited, isFirst: boolean): Pause {
    const backoff = isFirst ? backoffMs({ firstMs, maxMs: MAX_BACKOFF_MS }, inARow) : 0
    const delayMs = Math.max(askedMs ?? 0, backoff)
    const now = clock.now()
    const before = current()
    const opensAt = Math.max(before?.opensAt ?? now, now + Math.min(delayMs, MAX_PAUSE_MS[why]))
    pause =
      before && before.until > now + delayMs ? { ...before, opensAt } : { why, until: now + delayMs, opensAt }
    for (const each of [...waiting]) {
      const tooLong = tooLongFor(each.patienceMs)
      if (tooLong) each.dismiss(tooLong)
    }
    return { why: pause.why, leftMs: pause.until - now }
  }

  function turn(kind: string | null): Turn {
    active++
    const entered = { epoch, at: clock.now(), alone: active <= START }
    const took = () => ({ ms: clock.now() - entered.at, alone: entered.alone })
    const probes = isDown
    if (probes) isProbing = true
    return {
      answered: ({ well, nearLimit }) => {
        const speed = well && kind !== null ? latencies.judge(kind, took()) : 'usual'
        // A request from before the last refusal does not count.
        if (entered.epoch < epoch) return
        inARow = 0
        if (probes) isDown = false
        if (nearLimit) limit = Math.max(1, limit - 1 / limit)
        // Slow responses may have other causes, so they never lower the limit below its start.
        else if (speed === 'slow') limit = Math.max(Math.min(limit, START), limit - 1 / limit)
        // A limit that is not used up has not been tested.
        else if (well && speed === 'usual' && active >= limit / 2)
          limit = Math.min(MAX_LIMIT, limit + 1 / limit)
      },
      refused: (refusal) => {
        const isFirst = entered.epoch === epoch
        if (isFirst) {
          epoch++
          inARow = clock.now() - refusedAt > FORGET_MS ? 1 : inARow + 1
          refusedAt = clock.now()
          if (refusal.why === 'burst') limit = Math.max(1, limit / 2)
          if (refusal.why === 'down') isDown = true
        }
        return close(refusal, isFirst)
      },
      leave: () => {
        active--
        if (probes) isProbing = false
        admit()
      },
    }
  }

  return {
    get limit() {
      return limit
    },
    enter: ({ kind, patienceMs = Number.POSITIVE_INFINITY }, signal) =>
      new Promise<Turn | Pause>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const tooLong = tooLongFor(patienceMs)
        if (tooLong) return resolve(tooLong)
        const withdraw = () => {
          signal.removeEventListener('abort', stop)
          const at = waiting.indexOf(place)
          if (at >= 0) waiting.splice(at, 1)
        }
        const stop = () => {
          withdraw()
          if (waiting.length === 0) stopTimer()
          reject(signal.reason)
        }
        const place = {
          patienceMs,
          start: () => {
            withdraw()
            resolve(turn(kind))
          },
          dismiss: (pause: Pause) => {
            withdraw()
            resolve(pause)
          },
        }
        signal.addEventListener('abort', stop, { once: true })
        waiting.push(place)
        admit()
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
