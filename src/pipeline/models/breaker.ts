/** Keeps many from waiting for one that is down: what it would tell each of them it has told others already. */
export interface Breaker {
  /** False while it is down; once that is over, true for one who finds out for the others. */
  lets(): boolean
  heard(isWell: boolean): void
  /** It was asked, and nobody waited for what it says. */
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
