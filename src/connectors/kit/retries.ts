import { setTimeout } from 'node:timers/promises'
import type { AppError } from '../../errors.ts'
import { type Backoff, backoffMs } from '../../retry.ts'

export type RetryPolicy = Backoff & {
  attempts: number
  /** The longest time for all attempts together. */
  maxTotalMs?: number | undefined
}

/** Enough for the restart of a server or a burst of writes. */
export const DEFAULT_RETRIES = { attempts: 6, firstMs: 500, maxMs: 8000 } as const satisfies RetryPolicy

/** `isTransient`: the same attempt may succeed later. `waitMs` is the wait that the server asked for. */
export type Attempt<T> = { value: T } | { error: AppError; isTransient?: boolean; waitMs?: number }

/** Repeats with backoff while the failure is transient; the attempt must be idempotent. */
export async function retry<T>(
  policy: RetryPolicy,
  attempt: () => Promise<Attempt<T>>,
  signal: AbortSignal,
): Promise<T> {
  const { attempts, maxTotalMs = Number.POSITIVE_INFINITY } = policy
  const started = Date.now()
  for (let count = 1; ; count++) {
    const outcome = await attempt()
    if ('value' in outcome) return outcome.value
    const delayMs = Math.max(outcome.waitMs ?? 0, backoffMs(policy, count))
    const { error, isTransient = error.retryable } = outcome
    const isLate = Date.now() - started + delayMs > maxTotalMs
    if (!isTransient || count >= attempts || isLate) throw error
    await sleep(delayMs, signal)
  }
}

/** Throws the reason of the signal itself. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}
