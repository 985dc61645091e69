import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../../../retry.ts'
import type { Egress, EgressRequest, EgressResponse } from '../../egress/egress.ts'
import { MAX_BACKOFF_MS, MAX_PAUSE_MS, type Pause } from './pacing.ts'
import { readRate } from './rate-headers.ts'
import { errorOfBrokenBody, errorOfPause, type FailedResponse } from './response-errors.ts'
import type { Site } from './site.ts'
import { paceOf } from './site-paces.ts'

/** One request and how to judge its response. */
export type RequestSpec<T> = {
  doing: string
  url: URL
  request: EgressRequest & { timeoutMs: number }
  /** Requests of one kind take similar time; null is not measured. */
  kind: string | null
  /** Fewer than usual if a failure is likely to persist. */
  tries?: number | undefined
  judge(response: EgressResponse): Promise<{ value: T } | FailedResponse>
  /** Replaces the error of a request without a response. */
  translate?(broken: FailedResponse): FailedResponse
}

export type RetryOptions = {
  tries?: number
  /** The delay before the second try; doubles with every further try. */
  firstWaitMs?: number
  /** The longest pause to wait for when a person waits. */
  patienceMs?: number
}

/**
 * A failed request delays only itself; 429, 502 and 503 pause all requests. Waiting for an hourly quota does not
 * count as a try.
 */
export function createRequestRunner(access: { site: Site; egress: Egress }, options: RetryOptions) {
  const { site, egress } = access
  const { tries = 6, firstWaitMs = 500, patienceMs = Number.POSITIVE_INFINITY } = options

  async function once<T>(spec: RequestSpec<T>, signal: AbortSignal): Promise<{ value: T } | Refused> {
    const { doing, kind, url, request } = spec
    const turn = await paceOf(egress, site).enter({ kind, patienceMs }, signal)
    if (!('leave' in turn)) return { error: errorOfPause({ doing, site }, turn), tries: 0, pause: turn }
    const started = performance.now()
    try {
      const response = await egress.request(url, request, signal)
      const verdict = await spec.judge(response)
      // Responses of another host after a redirect do not concern the wiki.
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
      return spec.translate?.(broken) ?? broken
    } finally {
      turn.leave()
    }
  }

  return async function run<T>(spec: RequestSpec<T>, signal: AbortSignal): Promise<T> {
    const maxTries = Math.min(tries, spec.tries ?? tries)
    const waited = { quota: 0, other: 0 }
    for (let attempt = 1; ; attempt++) {
      const outcome = await once(spec, signal)
      if ('value' in outcome) return outcome.value
      const { pause, error } = outcome
      const backoff = backoffMs({ firstMs: firstWaitMs, maxMs: MAX_BACKOFF_MS }, attempt)
      const waitMs = pause?.leftMs ?? Math.max(outcome.askedMs ?? 0, backoff)
      if (pause?.why === 'quota') {
        attempt--
        waited.quota += waitMs
      } else waited.other += waitMs
      const tooLong = waited.quota > MAX_PAUSE_MS.quota || waited.other > MAX_PAUSE_MS.burst
      if (pause && (tooLong || waitMs > patienceMs)) throw errorOfPause({ doing: spec.doing, site }, pause)
      if (tooLong || attempt >= Math.min(maxTries, outcome.tries)) throw error
      // `enter` waits out a pause.
      if (!pause) await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

type Refused = FailedResponse & { pause?: Pause }
