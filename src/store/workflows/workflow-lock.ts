import type { Database } from '../database.ts'
import { type Lease, withLease } from '../leases.ts'

/** As long as a query may wait. */
const WAIT_MS = 60_000

/** One process per workflow. Changes of swaps belong into `lease.transaction`, which fails once the lease is lost. */
export function withWorkflowLock<T>(
  db: Database,
  workflowId: string,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const busy = 'another process is swapping or cleaning up this index'
  return withLease(db, { name: `swap:${workflowId}`, busy, waitMs: WAIT_MS }, work)
}
