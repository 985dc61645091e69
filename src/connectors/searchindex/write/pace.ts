import { setTimeout as sleep } from 'node:timers/promises'

export type RetryPolicy = { attempts: number; firstMs: number; longestMs: number }

/** Six attempts, half a second to eight between them: a node's restart or a burst of others' writes is waited out. */
export const DEFAULT_RETRIES: RetryPolicy = { attempts: 6, firstMs: 500, longestMs: 8000 }

/** Doubles each time; the jitter of a half keeps writers that were refused together from returning together. */
export function backoffMs(pace: RetryPolicy, attempt: number): number {
  return Math.min(pace.longestMs, pace.firstMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
}

/** What the server asked for, up to a minute. */
export function retryAfterMs(error: unknown): number {
  const headers = (error as { headers?: Record<string, unknown> } | null)?.headers
  const seconds = Number(headers?.['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 60) * 1000 : 0
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}
