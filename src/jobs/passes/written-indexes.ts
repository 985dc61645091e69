import type { Destination } from '../../connectors/destination.ts'
import { AppError } from '../../errors.ts'
import type { Database } from '../../store/database.ts'
import { type LedgerRow, writtenLedgers } from '../../store/ledger/ledgers.ts'
import { readSwapOf } from '../../store/swaps/swaps.ts'
import type { WorkflowRow } from '../../store/workflows/workflows.ts'
import { type Connections, withDestination } from '../connections.ts'
import type { WrittenIndex } from '../job-run.ts'
import type { Resources } from '../resources.ts'
import { confirmControl } from '../restore-detection.ts'
import { endSwap, RESTORED } from '../swap/end-swap.ts'

/** `jobId`: the job that reports a restored database. */
type OpenContext = { resources: Resources; connections: Connections; jobId?: string }

/** Runs the work with the indexes that the ledgers of a workflow describe; none if the index was replaced. */
export async function withWrittenIndexes<T>(
  workflow: WorkflowRow,
  { resources, connections, jobId }: OpenContext,
  work: (indexes: WrittenIndex[], signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  if (!workflow.destination_id) return work([], signal)
  return withDestination(connections, workflow.destination_id, async (destination) => {
    const indexes = await writtenIndexes(workflow, { db: resources.db, destination }, signal)
    const confirmed: WrittenIndex[] = []
    for (const index of indexes) {
      const staged = index.destination !== destination && {
        ledgerId: index.ledger.ledgerId,
        discard: () => discardSwap(workflow.id, { resources, destination }),
      }
      const controlled = { workflowId: workflow.id, destination: index.destination }
      const options = { ...(jobId ? { jobId } : {}), ...(staged ? { staged } : {}) }
      if (await confirmControl({ ...controlled, ...options }, resources, signal)) confirmed.push(index)
    }
    return work(confirmed, signal)
  })
}

async function discardSwap(
  workflowId: string,
  { resources: { db }, destination }: { resources: Resources; destination: Destination },
): Promise<void> {
  const row = await readSwapOf(db, workflowId)
  if (row) await endSwap(db, row, { why: RESTORED, open: async () => destination })
}

/** A swap writes a second index, which becomes the searched one. */
async function writtenIndexes(
  { id: workflowId }: WorkflowRow,
  { db, destination }: { db: Database; destination: Destination },
  signal: AbortSignal,
): Promise<WrittenIndex[]> {
  const [searched, staged] = await writtenLedgers(db, workflowId)
  if (!searched || !(await isSameIndex(searched, destination, signal))) return []
  const indexes = [{ ledger: { workflowId, ledgerId: searched.id }, destination }]
  if (!staged?.index_name || !staged.index_uuid || !destination.swap) return indexes
  const ledger = { workflowId, ledgerId: staged.id }
  return [...indexes, { ledger, destination: destination.swap.destinationFor(staged.index_name) }]
}

/** An index that was deleted or replaced is filled by the next content job. */
async function isSameIndex(
  { index_uuid: uuid }: LedgerRow,
  { swap }: Destination,
  signal: AbortSignal,
): Promise<boolean> {
  if (!swap || uuid === null) return true
  try {
    return (await swap.identity(signal)) === uuid
  } catch (error) {
    if (error instanceof AppError && error.code === 'destination_index_missing') return false
    throw error
  }
}
