import { AppError } from '../errors.ts'

/** Each stream holds a connection and a query per second for its job. */
export const MAX_STREAMS_PER_CALLER = 20
export const MAX_STREAMS = 1000

/** Counts open streams of this process; the returned function gives the place back. */
export function createStreamLimit({
  perCaller = MAX_STREAMS_PER_CALLER,
  total = MAX_STREAMS,
}: {
  perCaller?: number
  total?: number
} = {}): (caller: string) => () => void {
  const open = new Map<string, number>()
  let all = 0

  return (caller) => {
    const own = open.get(caller) ?? 0
    if (own >= perCaller) throw refusal(`you have ${perCaller} event streams open, the limit`)
    if (all >= total) throw refusal(`this server has ${total} event streams open, the limit`)
    open.set(caller, own + 1)
    all++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      all--
      const left = (open.get(caller) ?? 1) - 1
      if (left > 0) open.set(caller, left)
      else open.delete(caller)
    }
  }
}

const RETRY_S = 10

function refusal(message: string): AppError {
  return new AppError('rate_limited', message, {
    fix: 'Close streams that you no longer read, or poll GET /jobs/{id}',
    retryAfterSeconds: RETRY_S,
  })
}
