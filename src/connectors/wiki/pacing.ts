/**
 * How fast the wiki is asked. Its burst limits are unpublished and shared by everybody who uses the site, so
 * the pace is felt out: one more request at a time for every round that went well, half as many after a 429.
 */
export type Pace = {
  /** Waits for a turn; answers with the function that ends it. */
  enter(signal: AbortSignal): Promise<Turn>
  readonly limit: number
}
export type Turn = {
  wentWell(): void
  /** The wiki asks for less; nobody enters before `waitMs` are over. */
  throttled(waitMs: number): void
  leave(): void
}

const START = 4
const MOST = 8
/** Whoever is asked to wait longer gives up at once; the others may ask again after this. */
const LONGEST_PAUSE_MS = 5 * 60_000

export function createPace(now: () => number = Date.now): Pace {
  let limit = START
  let active = 0
  let lastCut = Number.NEGATIVE_INFINITY
  let pausedUntil = 0
  let timer: NodeJS.Timeout | undefined
  const waiting: (() => void)[] = []

  function admit(): void {
    // A pause that nobody waits for must not keep the process alive.
    if (waiting.length === 0) return
    const pause = pausedUntil - now()
    if (pause > 0) {
      timer ??= setTimeout(() => {
        timer = undefined
        admit()
      }, pause)
      return
    }
    while (waiting.length > 0 && active < Math.floor(limit)) {
      active++
      waiting.shift()!()
    }
  }

  function turn(): Turn {
    const entered = now()
    return {
      wentWell: () => {
        limit = Math.min(MOST, limit + 1 / limit)
      },
      throttled: (waitMs) => {
        // Requests that were under way together are refused together: that is one cut, not eight.
        if (entered >= lastCut) limit = Math.max(1, limit / 2)
        lastCut = now()
        pausedUntil = Math.max(pausedUntil, now() + Math.min(waitMs, LONGEST_PAUSE_MS))
      },
      leave: () => {
        active--
        admit()
      },
    }
  }

  return {
    get limit() {
      return limit
    },
    enter: (signal) =>
      new Promise<Turn>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const start = () => {
          signal.removeEventListener('abort', stop)
          resolve(turn())
        }
        const stop = () => {
          waiting.splice(waiting.indexOf(start), 1)
          if (waiting.length === 0) {
            clearTimeout(timer)
            timer = undefined
          }
          reject(signal.reason)
        }
        signal.addEventListener('abort', stop, { once: true })
        waiting.push(start)
        admit()
      }),
  }
}

/** How long the wiki asks to wait, in whichever of its ways it says so; null where it does not. */
export function askedWaitMs(headers: Headers, now: number): number | null {
  const after = headers.get('retry-after')?.trim()
  if (after) {
    if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1000
    const date = Date.parse(after)
    if (!Number.isNaN(date)) return Math.max(0, date - now)
  }
  const reset = headers.get('x-ratelimit-reset')?.trim()
  if (!reset) return null
  const date = parseReset(reset)
  return date === null ? null : Math.max(0, date - now)
}

/** Half fixed, half random, doubling: nobody who was refused together comes back together. */
export function backoffMs(attempt: number, firstMs: number, random: () => number = Math.random): number {
  const full = Math.min(30_000, firstMs * 2 ** (attempt - 1))
  return full / 2 + (full / 2) * random()
}

/** An ISO 8601 time, at times without seconds, or seconds since 1970. */
function parseReset(text: string): number | null {
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : date
}
