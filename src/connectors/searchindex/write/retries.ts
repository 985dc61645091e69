import { setTimeout as sleep } from 'node:timers/promises'
import { parseRetryAfter } from '../../../retry.ts'

export type RetryPolicy = { attempts: number; firstMs: number; maxMs: number }

/** Enough for the restart of a node or a burst of writes. */
export const DEFAULT_RETRIES: RetryPolicy = { attempts: 6, firstMs: 500, maxMs: 8000 }

/** The wait that the cluster asked for, at most a minute. */
export function retryAfterMs(error: unknown): number {
  const headers = (error as { headers?: Record<string, unknown> } | null)?.headers
  return Math.min(parseRetryAfter(String(headers?.['retry-after'] ?? '')) ?? 0, 60_000)
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}
