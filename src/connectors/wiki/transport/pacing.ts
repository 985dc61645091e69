import { backoffMs } from '../../../retry.ts'
import { createLatencies } from './latency.ts'

/**
 * How fast a wiki is asked. Its limits are unpublished and shared by everybody who uses the site, so the pace is felt
 * out: one more request at a time for every round that went well, half as many after a refusal, one less for a round
 * that took much longer than it used to or came with a warning. While the wiki wants to be left alone nobody enters.
 */
export type RequestPace = {
  /** Waits for a turn; where the wiki wants to be left alone for longer than anybody waits, tells that at once. */
  enter(asking: PaceRequest, signal: AbortSignal): Promise<Turn | Pause>
  readonly limit: number
}
export type PaceRequest = {
  /** What is compared with its like for how long it takes; null where nothing can be compared. */
  kind: string | null
  /** The longest pause to wait for, where that is less than what is usual. */
  patienceMs?: number
}
export type Turn = {
  /** Whatever it said, the wiki is there; `well` where it said what was asked for. */
  answered(how: { well: boolean; nearLimit: boolean }): void
  /** It wants to be left alone, as nobody enters from here on. */
  refused(refusal: RateLimited): Pause
  leave(): void
}

/** `burst`: too much at once. `quota`: the allowance of the hour is used up. `down`: it serves nobody. */
export type Why = 'burst' | 'quota' | 'down'
export type RateLimited = {
  why: Why
  askedMs: number | null
  /** The first wait where it does not say how long; doubles while nothing but refusals come. */
  firstMs: number
}
export type Pause = { why: Why; leftMs: number }

export type Clock = { now(): number; later(ms: number, run: () => void): () => void }

const START = 4
/** Above it sites refuse rather than go faster, and connections to one are limited to 32. */
const MOST = 16
/**
 * Whoever is asked to wait longer gives up, and others may ask again after this. Quotas start anew with every hour, of
 * which some wikis round the end up.
 */
export const LONGEST_PAUSE_MS: Record<Why, number> = { burst: 300_000, down: 300_000, quota: 65 * 60_000 }
export const LONGEST_BACKOFF_MS = 30_000
/** Refusals longer ago than this have nothing to do with each other. */
const FORGET_MS = 300_000

export function createPace(clock: Clock = systemClock): RequestPace {
  const latencies = createLatencies()
  let limit = START
  let active = 0
  /** Goes up with every refusal: requests that were under way together are refused together, which is one. */
  let epoch = 0
  let inARow = 0
  let refusedAt = Number.NEGATIVE_INFINITY
  let pause: { why: Why; until: number; opensAt: number } | null = null
  /** After an outage one comes back alone, and the others once it was served. */
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
    // A pause that nobody waits for must not keep the process alive.
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
    return leftMs > Math.min(patienceMs, LONGEST_PAUSE_MS[closed.why]) ? { why: closed.why, leftMs } : null
  }

  function close({ why, askedMs, firstMs }: RateLimited, isFirst: boolean): Pause {
    const backoff = isFirst ? backoffMs({ firstMs, longestMs: LONGEST_BACKOFF_MS }, inARow) : 0
    const toldMs = Math.max(askedMs ?? 0, backoff)
    const now = clock.now()
    const before = current()
    const opensAt = Math.max(before?.opensAt ?? now, now + Math.min(toldMs, LONGEST_PAUSE_MS[why]))
    pause =
      before && before.until > now + toldMs ? { ...before, opensAt } : { why, until: now + toldMs, opensAt }
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
        // What was asked before the last refusal says nothing about what came after it.
        if (entered.epoch < epoch) return
        inARow = 0
        if (probes) isDown = false
        if (nearLimit) limit = Math.max(1, limit - 1 / limit)
        // Slowness alone may be the wiki's own affair, and never makes less of it than there was at first.
        else if (speed === 'slow') limit = Math.max(Math.min(limit, START), limit - 1 / limit)
        // A limit that is not made use of has not been tried.
        else if (well && speed === 'usual' && active >= limit / 2) limit = Math.min(MOST, limit + 1 / limit)
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
