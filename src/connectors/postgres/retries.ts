import { setTimeout as sleep } from 'node:timers/promises'

/**
 * `connectMs` and `statementMs` limit one connection attempt and one statement. A silent server has `graceMs` more to
 * report its own limit.
 */
export type TablePace = {
  attempts: number
  firstMs: number
  maxMs: number
  connectMs: number
  statementMs: number
  graceMs: number
}

/** Enough for the restart of a server. */
export const TABLE_PACE: TablePace = {
  attempts: 6,
  firstMs: 500,
  maxMs: 8000,
  connectMs: 10_000,
  statementMs: 60_000,
  graceMs: 5_000,
}

export async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}
