/** A circuit breaker: after several failures, requests fail at once for `downMs`. */
export interface Breaker {
  /** False while the breaker is open; then true for one trial request. */
  allows(): boolean
  record(isSuccess: boolean): void
  /** The request ended without a result, such as by cancellation. */
  release(): void
}

export type BreakerOptions = { failures?: number; downMs?: number }

export function openBreaker({ failures = 3, downMs = 60_000 }: BreakerOptions = {}): Breaker {
  let inARow = 0
  let downUntil = 0
  let isOnTrial = false
  return {
    allows() {
      if (inARow < failures) return true
      if (isOnTrial || Date.now() < downUntil) return false
      isOnTrial = true
      return true
    },
    record(isSuccess) {
      isOnTrial = false
      inARow = isSuccess ? 0 : inARow + 1
      if (inARow >= failures) downUntil = Date.now() + downMs
    },
    release() {
      isOnTrial = false
    },
  }
}
