import { DEFAULT_RETRIES, type RetryPolicy } from '../kit/retries.ts'

/**
 * `connectMs` and `statementMs` limit one connection attempt and one statement. The server ends a statement itself; if it
 * does not, the client ends it `graceMs` later.
 */
export type TablePace = RetryPolicy & { connectMs: number; statementMs: number; graceMs: number }

export const TABLE_PACE: TablePace = {
  ...DEFAULT_RETRIES,
  connectMs: 10_000,
  statementMs: 60_000,
  graceMs: 5_000,
}
