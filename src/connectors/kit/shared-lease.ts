import type { SharedPace } from '../type.ts'
import type { Clock, Pause } from './pauses.ts'
import { MAX_LIMIT } from './request-limit.ts'

/** An older lease has to be renewed before a request; the database drops leases after 15 seconds. */
const LEASE_MS = 10_000
const RENEW_MS = 3_000
const GROW_MS = 250
/** Other processes would not notice a shorter pause. */
const MIN_SHARED_PAUSE_MS = 1_000

type LeaseInput = {
  clock: Clock
  /** The budget of the site that all processes share; null if there is only one process. */
  shared: () => { site: string; pace: SharedPace } | null
  /** How many requests this process may send by its own limit, and how many it sends or holds back. */
  demand(): { limit: number; active: number; waiting: number }
  onPause(pause: { reason: string; leftMs: number }): void
  onRenewed(): void
}

/** This process' part of a request budget that all processes share. */
export function createSharedLease({ clock, shared, demand, onPause, onRenewed }: LeaseInput) {
  let lease: { limit: number; renewedAt: number } | null = null
  let isRenewing = false
  let stopRenewing = () => {}

  /** How many requests may be active now. */
  function allowed(): number {
    const { limit } = demand()
    if (!shared()) return limit
    const isValid = lease !== null && clock.now() - lease.renewedAt <= LEASE_MS
    return lease && isValid ? Math.min(limit, lease.limit) : 0
  }

  /** Repeats while there are requests. */
  async function renew(): Promise<void> {
    const budget = shared()
    if (!budget || isRenewing) return
    isRenewing = true
    stopRenewing()
    try {
      // Room to grow until the next renewal.
      const request = { wanted: Math.min(2 * demand().limit, MAX_LIMIT), max: MAX_LIMIT }
      const granted = await budget.pace.lease(budget.site, request)
      lease = { limit: granted.limit, renewedAt: clock.now() }
      if (granted.pause) onPause(granted.pause)
    } catch {
      // Without the database the last lease stays in force.
      lease = { limit: lease?.limit ?? 1, renewedAt: clock.now() }
    }
    isRenewing = false
    onRenewed()
    const { active, waiting } = demand()
    if (active + waiting > 0) stopRenewing = clock.later(RENEW_MS, renew)
  }

  return {
    allowed,
    renewIfOld: () => {
      const { limit, active } = demand()
      const age = lease ? clock.now() - lease.renewedAt : Number.POSITIVE_INFINITY
      // The process has learned that the site can answer more.
      const isTooSmall = lease !== null && lease.limit < limit
      const dueMs = (isTooSmall ? GROW_MS : RENEW_MS) - age
      if (dueMs <= 0) void renew()
      // Without a timer the request would wait for ever: no other one renews.
      else if (allowed() + active === 0 && !isRenewing) {
        stopRenewing()
        stopRenewing = clock.later(dueMs, renew)
      }
    },
    announce: (pause: Pause) => {
      const budget = shared()
      // Other processes are refused on their own if this fails.
      if (budget && pause.leftMs >= MIN_SHARED_PAUSE_MS) budget.pace.pause(budget.site, pause).catch(() => {})
    },
  }
}
