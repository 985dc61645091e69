import type { Destination } from '../../connectors/destination.ts'
import { AppError } from '../../errors.ts'
import { readConnector } from '../../store/connectors/connectors.ts'
import type { Database } from '../../store/database.ts'
import { isActive } from '../../store/jobs/jobs.ts'
import {
  abandonedSwaps,
  dropSwap,
  promoteLedger,
  readSwap,
  readSwapOf,
  type SwapRow,
} from '../../store/swaps/swaps.ts'
import { withWorkflowLock } from '../../store/workflows/workflow-lock.ts'
import { readWorkflow } from '../../store/workflows/workflows.ts'
import type { Connections } from '../connections.ts'
import type { Resources } from '../resources.ts'

/** Moving the alias and deleting the index continue after a job is stopped. */
export const MOVE_TIMEOUT_MS = 120_000

/** Why a staged index is discarded after a restore: its ledger does not name all of its elements. */
export const RESTORED = 'the database was restored or failed over meanwhile'

type EndOptions = { why: string; open: () => Promise<Destination>; mayWait?: (row: SwapRow) => boolean }

/** Discards the staged index, or promotes its ledger if the alias has already moved. */
export async function endSwap(db: Database, row: SwapRow, options: EndOptions): Promise<void> {
  const { why, open, mayWait = () => true } = options
  const opened = await open().catch((error: unknown) => ({ error }))
  await withWorkflowLock(db, row.workflow_id, async (lease) => {
    const now = await readSwap(db, row.job_id)
    // The new owner of the workflow cleans up under its own lock.
    if (now?.workflow_id !== row.workflow_id) return
    try {
      if ('error' in opened) throw opened.error
      const staged = { name: now.index_name, uuid: now.index_uuid }
      const found = await opened.swap?.withdraw(staged, AbortSignal.timeout(MOVE_TIMEOUT_MS))
      const left = found === 'left' ? 'the key has no permission to delete it' : null
      await lease.transaction((transaction) =>
        found === 'searched'
          ? promoteLedger(transaction, now.job_id)
          : dropSwap(transaction, now, { why, left }),
      )
    } catch (thrown) {
      const error = asAppError(thrown)
      if (error.retryable && mayWait(now)) throw error
      if (await mayStillMove(db, now)) throw stillMoving(now, error)
      await lease.transaction((transaction) => dropSwap(transaction, now, { why, left: error.message }))
    }
  })
}

/** A cluster that hangs counts as unreachable. */
function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new AppError('destination_unreachable', `no response within ${MOVE_TIMEOUT_MS / 1000} s`, {
      cause: error,
    })
  throw error
}

/** A request that was sent may still move the alias and make hidden documents visible. */
async function mayStillMove(db: Database, { moving_at: sent, workflow_id, destination_id }: SwapRow) {
  if (sent === null) return false
  return (await readWorkflow(db, workflow_id))?.destination_id === destination_id
}

function stillMoving({ index_name: name, job_id: jobId, old_name: old }: SwapRow, cause: AppError): AppError {
  return new AppError(
    cause.code,
    `cleaning up after job ${jobId}, whose request to move the alias from ${old} to ${name} may still take effect: ${cause.message}`,
    { cause, fix: `${cause.fix ?? `Fix that`}. Runs cannot continue until ${name} is discarded` },
  )
}

/** `destinationId`: errors of any other destination are not fatal. */
type CleanupContext = { resources: Resources; connections: Connections; destinationId?: string }

/** Ends the swap of an earlier run that stopped or died. */
export async function reconcileWorkflow(
  workflowId: string,
  context: CleanupContext,
  signal: AbortSignal,
): Promise<void> {
  const row = await readSwapOf(context.resources.db, workflowId)
  if (row) await cleanUp(row, context, signal)
}

/** Ends such swaps of all workflows, because there may be no next run. */
export async function reconcileAbandoned(context: CleanupContext, signal: AbortSignal): Promise<void> {
  const { db, log } = context.resources
  for (const row of await abandonedSwaps(db)) {
    await cleanUp(row, context, signal).catch((error: unknown) =>
      log.warn({ job_id: row.job_id, index: row.index_name, err: error }, 'discarding a staged index failed'),
    )
  }
}

async function cleanUp(
  row: SwapRow,
  { resources: { db }, connections, destinationId }: CleanupContext,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  if (await isActive(db, row.job_id)) return
  // Without the destination there is no access to the index.
  if (!(await readConnector(db, row.destination_id)))
    return dropSwap(db, row, { why: 'its destination was deleted' })
  const opening = connections.openDestination(row.destination_id)
  try {
    await endSwap(db, row, {
      why: 'the job ended before it was complete',
      open: () => opening,
      mayWait: (now) => destinationId === undefined || destinationId === now.destination_id,
    })
  } finally {
    await opening.then(
      (destination) => destination.close(),
      () => {},
    )
  }
}
