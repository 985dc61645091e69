import { sourceWaits } from '../../process-metrics.ts'
import type { SharedPace } from '../type.ts'
import { type Clock, createPauses, type Pause, type RateLimited } from './pauses.ts'
import { createRequestLimit, type Responded, START_LIMIT } from './request-limit.ts'
import { createSharedLease } from './shared-lease.ts'

type PaceRequest = {
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

/** Lets requests start: within the limit of parallel ones, and not in a pause. */
export class RequestPace {
  readonly #clock: Clock
  readonly #limit = createRequestLimit()
  readonly #pauses: ReturnType<typeof createPauses>
  readonly #lease: ReturnType<typeof createSharedLease>
  readonly #waiting: Waiting[] = []
  #active = 0
  /** Active requests with a share below 1. */
  #activeShared = 0
  /** Grows with every refusal: refusals of requests that ran together count as one. */
  #epoch = 0
  /** After an outage one request probes; the others follow once it succeeds. */
  #isDown = false
  #isProbing = false
  #stopTimer = () => {}

  constructor({ clock = systemClock, shared = () => null }: PaceOptions = {}) {
    this.#clock = clock
    this.#pauses = createPauses(clock)
    this.#lease = createSharedLease({
      clock,
      shared,
      demand: () => ({ limit: this.#limit.whole, active: this.#active, waiting: this.#waiting.length }),
      onPause: (pause) => {
        this.#pauses.join(pause)
        this.#giveUpWaiting()
      },
      onRenewed: () => this.#startWaiting(),
    })
  }

  get limit(): number {
    return this.#limit.exact
  }

  /** Waits until the request may start; returns the pause at once if it is longer than `maxWaitMs`. */
  enter(
    { kind, maxWaitMs = Number.POSITIVE_INFINITY, share = 1 }: PaceRequest,
    signal: AbortSignal,
  ): Promise<RequestSlot | Pause> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const tooLong = this.#pauses.longerThan(maxWaitMs)
      if (tooLong) return resolve(tooLong)
      const leaveQueue = () => {
        signal.removeEventListener('abort', stop)
        const at = this.#waiting.indexOf(entry)
        if (at >= 0) this.#waiting.splice(at, 1)
      }
      const stop = () => {
        leaveQueue()
        if (this.#waiting.length === 0) this.#stopTimer()
        reject(signal.reason)
      }
      const enteredAt = this.#clock.now()
      const entry = {
        maxWaitMs,
        share,
        start: () => {
          leaveQueue()
          const reason = this.#pauses.reasonSince(enteredAt) ?? 'slot'
          sourceWaits.add({ reason }, (this.#clock.now() - enteredAt) / 1000)
          resolve(this.#startRequest(kind, share))
        },
        giveUp: (pause: Pause) => {
          leaveQueue()
          resolve(pause)
        },
      }
      signal.addEventListener('abort', stop, { once: true })
      this.#waiting.push(entry)
      this.#lease.renewIfOld()
      this.#startWaiting()
    })
  }

  #startWaiting(): void {
    this.#stopTimer()
    // A pause without waiting requests must not keep the process alive.
    if (this.#waiting.length === 0) return
    const pausedMs = this.#pauses.leftMs()
    if (pausedMs !== null) {
      this.#stopTimer = this.#clock.later(pausedMs, () => this.#startWaiting())
      return
    }
    while (this.#freeSlots() > 0) {
      const next = this.#nextWaiting()
      if (!next) return
      next.start()
    }
  }

  #freeSlots(): number {
    if (this.#isDown) return this.#isProbing ? 0 : 1
    return this.#lease.allowed() - this.#active
  }

  /** Full shares go first, except that one request of the others keeps its turn, so that they never starve. */
  #nextWaiting(): Waiting | undefined {
    const [first] = this.#waiting
    if (first && (first.share >= 1 || this.#activeShared === 0)) return first
    const maxShared = (share: number) => Math.max(1, Math.floor(this.#lease.allowed() * share))
    return (
      this.#waiting.find(({ share }) => share >= 1) ??
      this.#waiting.find(({ share }) => this.#activeShared < maxShared(share))
    )
  }

  #giveUpWaiting(): void {
    for (const each of [...this.#waiting]) {
      const tooLong = this.#pauses.longerThan(each.maxWaitMs)
      if (tooLong) each.giveUp(tooLong)
    }
  }

  #startRequest(kind: string | null, share: number): RequestSlot {
    this.#active++
    if (share < 1) this.#activeShared++
    const start = { epoch: this.#epoch, at: this.#clock.now(), alone: this.#active <= START_LIMIT }
    const isProbe = this.#isDown
    if (isProbe) this.#isProbing = true
    return {
      responded: (how) => {
        const took = { ms: this.#clock.now() - start.at, alone: start.alone }
        const speed = this.#limit.rate(how.ok ? kind : null, took)
        // A request from before the last refusal does not count.
        if (start.epoch < this.#epoch) return
        this.#pauses.responded()
        if (isProbe) this.#isDown = false
        this.#limit.responded(how, { speed, active: this.#active })
      },
      refused: (refusal) => {
        const isFirst = start.epoch === this.#epoch
        if (isFirst) this.#countRefusal(refusal)
        const pause = this.#pauses.refused(refusal, isFirst)
        this.#giveUpWaiting()
        this.#lease.announce(pause)
        return pause
      },
      leave: () => {
        this.#active--
        if (share < 1) this.#activeShared--
        if (isProbe) this.#isProbing = false
        this.#startWaiting()
      },
    }
  }

  #countRefusal({ reason }: RateLimited): void {
    this.#epoch++
    if (reason === 'burst') this.#limit.halve()
    if (reason === 'down') this.#isDown = true
  }
}

const systemClock: Clock = {
  now: () => performance.now(),
  later: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
