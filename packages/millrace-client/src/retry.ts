/** `retries` of 0 turns retries off. */
export type RetryOptions = {
  retries: number
  firstDelayMs: number
  maxDelayMs: number
  /** A response with a longer `Retry-After` is not retried. */
  maxRetryAfterMs: number
}

export const RETRY_DEFAULTS: RetryOptions = {
  retries: 4,
  firstDelayMs: 500,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 120_000,
}

const RETRIED = new Set([429, 502, 503, 504])

/** A source or destination that failed stays failed; the service then says `retryable: false`. */
export function isRetryable(status: number, body: unknown): boolean {
  if (status === 0) return true
  const isFinal = typeof body === 'object' && body !== null && 'retryable' in body && body.retryable === false
  return RETRIED.has(status) && !isFinal
}

/** Doubles with each attempt. Jitter keeps clients from retrying at the same moment. */
export function delayMs(
  attempt: number,
  retryAfter: number | undefined,
  options: Pick<RetryOptions, 'firstDelayMs' | 'maxDelayMs'>,
): number {
  const { firstDelayMs, maxDelayMs } = options
  const backoff = Math.min(maxDelayMs, firstDelayMs * 2 ** attempt) * (0.5 + Math.random() / 2)
  return Math.max(backoff, (retryAfter ?? 0) * 1000)
}

/** Seconds of a `Retry-After` header, which is a number or a date. */
export function retryAfterOf(header: string | null, now = Date.now()): number | undefined {
  if (!header) return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}

/** Rejects with the reason of the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
