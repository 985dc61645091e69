/** A circuit breaker: after several failures, requests fail at once for `downMs`. */
interface Breaker {
  /** False while the breaker is open; then true for one trial request. */
  allows(): boolean
  record(isSuccess: boolean): void
  /** The request ended without a result, such as by cancellation. */
  release(): void
}

export type BreakerOptions = { failures?: number; downMs?: number }

export function createBreaker({ failures = 3, downMs = 60_000 }: BreakerOptions = {}): Breaker {
  let consecutiveFailures = 0
  let downUntil = 0
  let isTrialRunning = false
  return {
    allows() {
      if (consecutiveFailures < failures) return true
      if (isTrialRunning || Date.now() < downUntil) return false
      isTrialRunning = true
      return true
    },
    record(isSuccess) {
      isTrialRunning = false
      consecutiveFailures = isSuccess ? 0 : consecutiveFailures + 1
      if (consecutiveFailures >= failures) downUntil = Date.now() + downMs
    },
    release() {
      isTrialRunning = false
    },
  }
}
