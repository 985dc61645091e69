import type { Destination, Source, Swap } from '../connectors/connector.ts'
import type { Runner } from '../pipeline/runner.ts'
import type { JobRow } from '../store/jobs/jobs.ts'
import type { LedgerOf } from '../store/ledger/documents.ts'
import type { SwapRow } from '../store/swaps/swaps.ts'

/** Open connectors that the tasks of a job share in one process. */
export type JobRun = {
  source: Source
  destination: Destination
  /** The ledger of the index that the run writes. */
  ledger: LedgerOf
  /** Set where the run writes a staged index. */
  swap: Staged | null
  /** Covers the nodes, how the source renders, and the identity of the index. */
  settingsHash: string
  runner: Runner
}

export type Staged = { row: SwapRow & { index_uuid: string }; swapping: Swap; searched: Destination }

/** Whether a run lists only some documents. */
export function isPartial({ settings }: JobRow): boolean {
  return settings.retry_of !== undefined || settings.repair === true
}
