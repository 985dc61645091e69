import { createLatencies } from './latency.ts'

export const START_LIMIT = 4
/** With more requests, sites refuse instead of responding faster. */
export const MAX_LIMIT = 16

export type Responded = { ok: boolean; nearLimit: boolean }

/**
 * The number of parallel requests, which adapts because rate limits are unpublished and shared. After as many responses as
 * it allows requests, it has grown by one, or shrunk by one if they were slow; a refusal halves it.
 */
export function createRequestLimit() {
  const latencies = createLatencies()
  let limit = START_LIMIT
  return {
    /** With the fraction that responses have added. */
    get exact() {
      return limit
    },
    get whole() {
      return Math.floor(limit)
    },
    /** Rates the time of a response; `usual` if its kind is not measured. */
    rate: (kind: string | null, took: { ms: number; alone: boolean }) =>
      kind === null ? 'usual' : latencies.rate(kind, took),
    responded: (
      { ok, nearLimit }: Responded,
      { speed, active }: { speed: 'usual' | 'slow' | 'overloaded'; active: number },
    ) => {
      if (nearLimit) limit = Math.max(1, limit - 1 / limit)
      // Slow responses may have other causes, so they never lower the limit below its start.
      else if (speed === 'overloaded') limit = Math.max(Math.min(limit, START_LIMIT), limit - 1 / limit)
      // A limit that is not used up has not been tested.
      else if (ok && speed === 'usual' && active >= limit / 2) limit = Math.min(MAX_LIMIT, limit + 1 / limit)
    },
    halve: () => {
      limit = Math.max(1, limit / 2)
    },
  }
}
