import { sourceWaits } from '../../process-metrics.ts'
import type { SharedPace } from '../type.ts'
import { type Clock, createPauses, type Pause, type RateLimited } from './pauses.ts'
import { createRequestLimit, type Responded, START_LIMIT } from './request-limit.ts'
import { createSharedLease } from './shared-lease.ts'

/** Lets requests start: within the limit of parallel ones, and not in a pause. */
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
  /** The site responded; `ok` if with the requested content. */
  responded(how: Responded): void
  /** The site refused; no request starts until the pause ends. */
  refused(refusal: RateLimited): Pause
  leave(): void
}

type Waiting = { start(): void; giveUp(pause: Pause): void; maxWaitMs: number; share: number }

type PaceOptions = {
  clock?: Clock
  /** The part of the budget that all processes share; null if there is only one process. */
  shared?: () => { site: string; pace: SharedPace } | null
}

export function createPace({ clock = systemClock, shared = () => null }: PaceOptions = {}): RequestPace {
  const limit = createRequestLimit()
  const pauses = createPauses(clock)
  const waiting: Waiting[] = []
  let active = 0
  /** Active requests with a share below 1. */
  let activeShared = 0
  /** Grows with every refusal: refusals of requests that ran together count as one. */
  let epoch = 0
  /** After an outage one request probes; the others follow once it succeeds. */
  let isDown = false
  let isProbing = false
  let stopTimer = () => {}
  const lease = createSharedLease({
    clock,
    shared,
    demand: () => ({ limit: limit.whole, active, waiting: waiting.length }),
    onPause: (pause) => {
      pauses.join(pause)
      giveUpWaiting()
    },
    onRenewed: startWaiting,
  })

  function freeSlots(): number {
    if (isDown) return isProbing ? 0 : 1
    return lease.allowed() - active
  }

  function startWaiting(): void {
    stopTimer()
    // A pause without waiting requests must not keep the process alive.
    if (waiting.length === 0) return
    const pausedMs = pauses.leftMs()
    if (pausedMs !== null) {
      stopTimer = clock.later(pausedMs, startWaiting)
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
    const maxShared = (share: number) => Math.max(1, Math.floor(lease.allowed() * share))
    return (
      waiting.find(({ share }) => share >= 1) ?? waiting.find(({ share }) => activeShared < maxShared(share))
    )
  }

  function giveUpWaiting(): void {
    for (const each of [...waiting]) {
      const tooLong = pauses.longerThan(each.maxWaitMs)
      if (tooLong) each.giveUp(tooLong)
    }
  }

  function startRequest(kind: string | null, share: number): RequestSlot {
    active++
    if (share < 1) activeShared++
    const start = { epoch, at: clock.now(), alone: active <= START_LIMIT }
    const isProbe = isDown
    if (isProbe) isProbing = true
    return {
      responded: (how) => {
        const took = { ms: clock.now() - start.at, alone: start.alone }
        const speed = limit.rate(how.ok ? kind : null, took)
        // A request from before the last refusal does not count.
        if (start.epoch < epoch) return
        pauses.responded()
        if (isProbe) isDown = false
        limit.responded(how, { speed, active })
      },
      refused: (refusal) => {
        const isFirst = start.epoch === epoch
        if (isFirst) {
          epoch++
          if (refusal.reason === 'burst') limit.halve()
          if (refusal.reason === 'down') isDown = true
        }
        const pause = pauses.refused(refusal, isFirst)
        giveUpWaiting()
        lease.announce(pause)
        return pause
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
      return limit.exact
    },
    enter: ({ kind, maxWaitMs = Number.POSITIVE_INFINITY, share = 1 }, signal) =>
      new Promise<RequestSlot | Pause>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const tooLong = pauses.longerThan(maxWaitMs)
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
            const reason = pauses.reasonSince(enteredAt) ?? 'slot'
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
        lease.renewIfOld()
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
