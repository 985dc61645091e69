import { type SourceStatus, sourceRequests, sourceWaits } from '../../process-metrics.ts'
import { backoffMs } from '../../retry.ts'
import type { Egress, EgressRequest, EgressResponse } from '../egress/egress.ts'
import { errorOfPause, errorWithoutResponse, type FailedResponse } from './failed-response.ts'
import { MAX_BACKOFF_MS, MAX_PAUSE_MS, type Pause } from './pauses.ts'
import { readRate } from './rate-headers.ts'
import { sleep } from './retries.ts'
import { type PacedSite, paceOf } from './site-paces.ts'

/** One request, and how to read its response. */
export type RequestSpec<T> = {
  doing: string
  url: URL
  request: EgressRequest & { timeoutMs: number }
  /** Requests of one kind take similar time; null is not measured. */
  kind: string | null
  /** Fewer than the default if a failure is likely to persist. */
  tries?: number | undefined
  readResponse(response: EgressResponse): Promise<{ value: T } | FailedResponse>
  /** Replaces the error of a request without a response. */
  translate?(broken: FailedResponse): FailedResponse
}

export type RetryOptions = {
  tries?: number
  /** The delay before the second try; doubles with every further try. */
  firstWaitMs?: number
  /** The longest pause to wait for when a person waits. */
  maxWaitMs?: number
  /** The part of the site's request budget to use, up to 1. */
  share?: number
}

/** `name` is for messages. */
type RunnerInput = { site: PacedSite & { name: string }; egress: Egress }

/**
 * A failed request delays only itself; 429, 502 and 503 pause all requests. Waiting for an hourly quota does not
 * count as a try.
 */
export function createRequestRunner({ site, egress }: RunnerInput, options: RetryOptions) {
  const { tries = 6, firstWaitMs = 500, maxWaitMs = Number.POSITIVE_INFINITY, share = 1 } = options

  async function runOnce<T>(spec: RequestSpec<T>, signal: AbortSignal): Promise<{ value: T } | Refused> {
    const { doing, kind, url, request } = spec
    const slot = await paceOf(egress, site).enter({ kind, maxWaitMs, share }, signal)
    if (!('leave' in slot)) return { error: errorOfPause({ doing, site }, slot), tries: 0, pause: slot }
    const started = performance.now()
    let hasResponse = false
    try {
      const response = await egress.request(url, request, signal)
      sourceRequests.add({ status: statusClass(response.status) })
      hasResponse = true
      const result = await spec.readResponse(response)
      // Responses of another host after a redirect do not concern the site.
      const isOwn = response.url.origin === site.origin
      if (isOwn && 'reason' in result && result.reason) {
        const { reason, retryAfterMs = null } = result
        return {
          ...result,
          pause: slot.refused({ reason, retryAfterMs, firstMs: firstWaitMs }),
        }
      }
      const { nearLimit } = readRate(response.status, response.headers, Date.now())
      slot.responded({ ok: 'value' in result, nearLimit: isOwn && nearLimit })
      return result
    } catch (error) {
      signal.throwIfAborted()
      if (!hasResponse) sourceRequests.add({ status: 'none' })
      const broken = errorWithoutResponse(doing, error, performance.now() - started >= request.timeoutMs)
      return spec.translate?.(broken) ?? broken
    } finally {
      slot.leave()
    }
  }

  return async function run<T>(spec: RequestSpec<T>, signal: AbortSignal): Promise<T> {
    const maxTries = Math.min(tries, spec.tries ?? tries)
    const waited = { quota: 0, other: 0 }
    const failures = new Map<string, number>()
    for (let attempt = 1; ; attempt++) {
      const outcome = await runOnce(spec, signal)
      if ('value' in outcome) return outcome.value
      const { pause, error } = outcome
      const alike = (failures.get(error.code) ?? 0) + 1
      failures.set(error.code, alike)
      const backoff = backoffMs({ firstMs: firstWaitMs, maxMs: MAX_BACKOFF_MS }, attempt)
      const waitMs = pause?.leftMs ?? Math.max(outcome.retryAfterMs ?? 0, backoff)
      if (pause?.reason === 'quota') {
        attempt--
        waited.quota += waitMs
      } else waited.other += waitMs
      const tooLong = waited.quota > MAX_PAUSE_MS.quota || waited.other > MAX_PAUSE_MS.burst
      if (pause && (tooLong || waitMs > maxWaitMs)) throw errorOfPause({ doing: spec.doing, site }, pause)
      if (tooLong || attempt >= maxTries || alike >= outcome.tries) throw error
      // `enter` waits until a pause ends.
      if (pause) continue
      sourceWaits.add({ reason: 'retry' }, waitMs / 1000)
      await sleep(waitMs, signal)
    }
  }
}

function statusClass(status: number): SourceStatus {
  if (status === 429) return '429'
  if (status >= 500) return '5xx'
  if (status >= 400) return '4xx'
  return status >= 300 ? '3xx' : '2xx'
}

type Refused = FailedResponse & { pause?: Pause }
