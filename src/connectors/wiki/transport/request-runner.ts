import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../../../retry.ts'
import type { Egress, EgressRequest, EgressResponse } from '../../egress/egress.ts'
import { LONGEST_BACKOFF_MS, LONGEST_PAUSE_MS, type Pause } from './pacing.ts'
import { readRate } from './rate-headers.ts'
import { errorOfBrokenBody, errorOfPause, type FailedResponse } from './response-errors.ts'
import type { Site } from './site.ts'
import { paceOf } from './site-paces.ts'

/** One request and what its answer is taken for. */
export type RequestSpec<T> = {
  doing: string
  url: URL
  request: EgressRequest & { timeoutMs: number }
  /** See `Asking` of the pace. */
  kind: string | null
  /** Fewer than usual, where an answer that fails is likely to stay. */
  tries?: number | undefined
  judge(response: EgressResponse): Promise<{ value: T } | FailedResponse>
  /** What a request that came to no answer is told as, where not as usual. */
  translate?(broken: FailedResponse): FailedResponse
}

export type RetryOptions = {
  tries?: number
  /** Before the second try; doubles from there. */
  firstWaitMs?: number
  /** The longest pause of the wiki to wait for, where somebody is waiting for the answer. */
  patienceMs?: number
}

/**
 * Runs errands at the pace of the site. A failure of one request is waited out by that request alone, and what
 * concerns everybody (429, 502, 503) by everybody, in the queue of the pace. An hour's quota is waited for without
 * counting as a try: it is known when it ends, and nothing is gained by failing before.
 */
export function createRequestRunner(access: { site: Site; egress: Egress }, manners: RetryOptions) {
  const { site, egress } = access
  const { tries = 6, firstWaitMs = 500, patienceMs = Number.POSITIVE_INFINITY } = manners

  async function once<T>(errand: RequestSpec<T>, signal: AbortSignal): Promise<{ value: T } | Refused> {
    const { doing, kind, url, request } = errand
    const turn = await paceOf(egress, site).enter({ kind, patienceMs }, signal)
    if (!('leave' in turn)) return { error: errorOfPause({ doing, site }, turn), tries: 0, pause: turn }
    const started = performance.now()
    try {
      const response = await egress.request(url, request, signal)
      const verdict = await errand.judge(response)
      // What another host says after a redirect is not about the wiki.
      const isOwn = response.url.origin === site.origin
      if (isOwn && 'why' in verdict && verdict.why) {
        const { why, askedMs = null } = verdict
        return { ...verdict, pause: turn.refused({ why, askedMs, firstMs: firstWaitMs }) }
      }
      const { nearLimit } = readRate(response.status, response.headers, Date.now())
      turn.answered({ well: 'value' in verdict, nearLimit: isOwn && nearLimit })
      return verdict
    } catch (error) {
      signal.throwIfAborted()
      const broken = errorOfBrokenBody(doing, error, performance.now() - started >= request.timeoutMs)
      return errand.translate?.(broken) ?? broken
    } finally {
      turn.leave()
    }
  }

  return async function run<T>(errand: RequestSpec<T>, signal: AbortSignal): Promise<T> {
    const most = Math.min(tries, errand.tries ?? tries)
    const waited = { quota: 0, other: 0 }
    for (let attempt = 1; ; attempt++) {
      const outcome = await once(errand, signal)
      if ('value' in outcome) return outcome.value
      const { pause, error } = outcome
      const backoff = backoffMs({ firstMs: firstWaitMs, longestMs: LONGEST_BACKOFF_MS }, attempt)
      const waitMs = pause?.leftMs ?? Math.max(outcome.askedMs ?? 0, backoff)
      if (pause?.why === 'quota') {
        attempt--
        waited.quota += waitMs
      } else waited.other += waitMs
      const tooLong = waited.quota > LONGEST_PAUSE_MS.quota || waited.other > LONGEST_PAUSE_MS.burst
      if (pause && (tooLong || waitMs > patienceMs)) throw errorOfPause({ doing: errand.doing, site }, pause)
      if (tooLong || attempt >= Math.min(most, outcome.tries)) throw error
      // A pause is waited for where the next turn is.
      if (!pause) await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

type Refused = FailedResponse & { pause?: Pause }
