import type { Destination, Swap } from '../connectors/destination.ts'
import type { Source } from '../connectors/source.ts'
import type { Runner } from '../pipeline/runner.ts'
import type { JobRow } from '../store/jobs/jobs.ts'
import type { LedgerKey } from '../store/ledger/ledgers.ts'
import type { SwapRow } from '../store/swaps/swaps.ts'

/** Open connectors that the tasks of a job share in one process. */
export type JobRun = {
  source: Source
  destination: Destination
  /** Of the index that the run writes; an alias or another host leads to the same. */
  identity: string
  /** The ledger of the index that the run writes. */
  ledger: LedgerKey
  /** Set if the run writes to a staged index. */
  swap: StagedSwap | null
  /** A hash of the nodes, the source's rendering and the identity of the index. */
  settingsHash: string
  runner: Runner
}

/** An index of a workflow with its ledger. */
export type WrittenIndex = { ledger: LedgerKey; destination: Destination }

/** `searched` is the index that searches still use. */
export type StagedSwap = { row: SwapRow & { index_uuid: string }; indexSwap: Swap; searched: WrittenIndex }

/** The index that searches use while the run writes. */
export function searchedIndex(run: Pick<JobRun, 'ledger' | 'destination' | 'swap'>): WrittenIndex {
  return run.swap?.searched ?? run
}

/** Whether a run lists only some documents. */
export function isPartial({ settings }: JobRow): boolean {
  return settings.retry_of !== undefined || settings.repair === true
}
