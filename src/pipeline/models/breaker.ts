/** A circuit breaker: after several failures, requests fail at once for `downMs`. */
export interface Breaker {
  /** False while the breaker is open; then true for one trial request. */
  lets(): boolean
  heard(isWell: boolean): void
  /** The request ended without a result, such as by cancellation. */
  unheard(): void
}

export type BreakerOptions = { failures?: number; downMs?: number }

export function openBreaker({ failures = 3, downMs = 60_000 }: BreakerOptions = {}): Breaker {
  let inARow = 0
  let downUntil = 0
  let isTried = false
  return {
    lets() {
      if (inARow < failures) return true
      if (isTried || Date.now() < downUntil) return false
      isTried = true
      return true
    },
    heard(isWell) {
      isTried = false
      inARow = isWell ? 0 : inARow + 1
      if (inARow >= failures) downUntil = Date.now() + downMs
    },
    unheard() {
      isTried = false
    },
  }
}
