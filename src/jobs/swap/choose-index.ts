import { swapOf } from '../../connectors/capabilities.ts'
import type { Destination } from '../../connectors/destination.ts'
import { AppError } from '../../errors.ts'
import { readConnector } from '../../store/connectors/connectors.ts'
import { addWarning, isActive, type JobRow, pinSwap, readJob } from '../../store/jobs/jobs.ts'
import { countDocuments } from '../../store/ledger/documents.ts'
import { type LedgerKey, readSearchedLedger, recordIndex } from '../../store/ledger/ledgers.ts'
import {
  clearSwapGivenUp,
  insertSwap,
  markInPlaceTried,
  mostEntriesHaveSettings,
  readSwap,
  readSwapOf,
  recordSwapGivenUp,
  type SwapRow,
} from '../../store/swaps/swaps.ts'
import { withWorkflowLock } from '../../store/workflows/workflow-lock.ts'
import { readWorkflow, type WorkflowRow } from '../../store/workflows/workflows.ts'
import type { Connections } from '../connections.ts'
import { cancelled } from '../job-outcome.ts'
import type { StagedSwap } from '../job-run.ts'
import type { Resources } from '../resources.ts'
import { isIndexAhead } from '../restore-detection.ts'
import { endSwap, reconcileWorkflow } from './end-swap.ts'
import { refuseForeignElements, refuseOtherWriters, refuseUnknownElements } from './refusals.ts'

/** `swap` is set for a staged index. */
type TargetIndex = {
  destination: Destination
  identity: string
  ledger: LedgerKey
  swap: StagedSwap | null
}

type ChooseContext = {
  resources: Resources
  connections: Connections
  destinationId: string
  /** Opened by its configured name, which may be an alias. */
  destination: Destination
  dims: number | null
  /** The settings hash for an index with this identity. */
  hashFor(identity: string): string
}

/** A staged index if the workflow swaps and every document changes, else the searched one. */
export async function chooseTargetIndex(
  job: JobRow,
  context: ChooseContext,
  signal: AbortSignal,
): Promise<TargetIndex> {
  const { resources, connections, destination } = context
  const { db } = resources
  const { destinationId } = context
  await reconcileWorkflow(job.workflow_id, { resources, connections, destinationId }, signal)
  const decided = (await readJob(db, job.id))?.swap ?? (await decideSwap(job, context, signal))
  if (decided === 'in_place') return inPlace(job, context, signal)
  const row = decided === 'staged' ? await readSwap(db, job.id) : undefined
  if (!row || !destination.swap) throw swapEnded(job.id)
  return openStaged(row, context, signal)
}

async function inPlace(
  job: JobRow,
  { resources: { db }, destination, dims }: ChooseContext,
  signal: AbortSignal,
): Promise<TargetIndex> {
  const { identity, indexBehindAlias } = await destination.prepare({ dims }, signal)
  const { workflow_id: workflowId } = job
  const ledger = await readSearchedLedger(db, workflowId)
  if (!ledger) throw new AppError('workflow_deleted', `the workflow ${workflowId} was deleted`)
  if (ledger.index_uuid !== identity) {
    // A restored database may not know of a swap; the comparison before the first write removes what it does not know.
    const isAhead = await isIndexAhead({ workflowId, destination }, db, signal)
    if (indexBehindAlias && !isAhead) {
      const now = { identity, indexName: indexBehindAlias }
      await refuseUnknownElements(db, { ledger, destination, now }, signal)
    }
    await recordIndex(db, ledger.id, { name: indexBehindAlias ?? null, uuid: identity })
  }
  return { destination, identity, ledger: { workflowId, ledgerId: ledger.id }, swap: null }
}

async function openStaged(row: SwapRow, context: ChooseContext, signal: AbortSignal): Promise<TargetIndex> {
  const { destination: searched, dims, resources } = context
  const indexSwap = swapOf(searched)
  const uuid = row.index_uuid ?? (await createStaged(row, context, signal))
  const destination = indexSwap.destinationFor(row.index_name)
  const { identity } = await destination.prepare({ dims }, signal).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'destination_index_missing') return { identity: null }
    throw error
  })
  if (identity !== uuid) {
    // The worker that deleted it may have died before it recorded that.
    await endSwap(resources.db, row, { why: 'it does not exist any more', open: async () => searched })
    throw new AppError('destination_index_missing', `the new index ${row.index_name} does not exist any more`)
  }
  const ledgerOf = (ledgerId: string) => ({ workflowId: row.workflow_id, ledgerId })
  const ledger = ledgerOf(row.ledger_id)
  const old = { ledger: ledgerOf(row.old_ledger_id), destination: searched }
  const swap = { row: { ...row, index_uuid: uuid }, indexSwap, searched: old }
  return { destination, identity, ledger, swap }
}

/** Decides whether this run swaps, and begins the swap. */
async function decideSwap(job: JobRow, context: ChooseContext, signal: AbortSignal): Promise<JobRow['swap']> {
  const { db } = context.resources
  const noSwap = () => pinSwap(db, job.id, 'in_place')
  const workflow = await readWorkflow(db, job.workflow_id)
  const ledger = await readSearchedLedger(db, job.workflow_id)
  if (!job.settings.swap_index || !workflow || !ledger) return noSwap()
  // Nothing is indexed yet, so no search is disturbed.
  if ((await countDocuments(db, ledger.id)) === 0) return noSwap()
  const identity = await swapOf(context.destination).identity(signal)
  // Someone replaced the index outside Millrace; this run fills the replacement in place.
  if (ledger.index_uuid !== null && ledger.index_uuid !== identity) return noSwap()
  const hash = context.hashFor(identity)
  if (workflow.swap_given_up && workflow.swap_given_up.hash !== hash) await clearSwapGivenUp(db, workflow.id)
  if (!job.settings.reprocess_all && (await mostEntriesHaveSettings(db, workflow.id, hash))) return noSwap()
  if (isGivenUp(job, workflow, hash)) {
    await markInPlaceTried(db, workflow.id)
    await addWarning(db, job.id, {
      code: 'swap_given_up',
      message: `wrote to the searched index, because the swap of job ${workflow.swap_given_up?.job_id} was not completed; to swap again, change the settings, or start a later run with reprocess_all`,
    })
    return noSwap()
  }
  try {
    await beginSwap(job, { workflow, hash, context }, signal)
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable || error.code === 'cancelled') throw error
    // Otherwise new permissions would never reach the searched index.
    if (!(await readSwap(db, job.id))) await recordSwapGivenUp(db, workflow.id, { hash, jobId: job.id })
    throw new AppError(error.code, `${error.message}. The next run writes to the searched index`, {
      cause: error,
      ...(error.fix ? { fix: error.fix } : {}),
    })
  }
  // Another process may have decided first.
  return (await readJob(db, job.id))?.swap ?? null
}

/**
 * After a failed swap, runs with the same settings write in place, so that permissions reach the searched index. After
 * one such run a person can request a swap with reprocess_all.
 */
function isGivenUp(job: JobRow, workflow: WorkflowRow, hash: string): boolean {
  const givenUp = workflow.swap_given_up
  if (givenUp?.hash !== hash) return false
  const isRequested = job.settings.reprocess_all && job.started_by !== null
  return !(givenUp.tried && isRequested)
}

type BeginOptions = { workflow: WorkflowRow; hash: string; context: ChooseContext }

async function beginSwap(
  job: JobRow,
  { workflow, hash, context }: BeginOptions,
  signal: AbortSignal,
): Promise<void> {
  const { resources, destination } = context
  const indexSwap = swapOf(destination)
  const old = await indexSwap.searched(signal)
  const connector = await readConnector(resources.db, context.destinationId)
  if (connector) await refuseOtherWriters(resources, workflow.id, { ...connector, otherNames: [old.name] })
  const ledger = { workflowId: workflow.id, ledgerId: workflow.ledger_id }
  await refuseForeignElements(resources.db, { ledger, destination }, signal)
  await withWorkflowLock(resources.db, workflow.id, (lease) =>
    lease.transaction(async (transaction) => {
      if (!(await isActive(transaction, job.id))) throw cancelled(job.id)
      const other = await readSwapOf(transaction, workflow.id)
      if (other?.job_id === job.id) return
      if (other) throw new AppError('internal', `the swap of job ${other.job_id} has not ended yet`)
      await insertSwap(transaction, {
        job_id: job.id,
        workflow_id: workflow.id,
        destination_id: context.destinationId,
        settings_hash: hash,
        indexName: indexSwap.nameFor(suffixFor(job)),
        old,
      })
    }),
  )
}

/** Under the lock, so that no other worker deletes it at the same time. */
async function createStaged(
  row: SwapRow,
  { resources, destination, dims }: ChooseContext,
  signal: AbortSignal,
): Promise<string> {
  const { db } = resources
  return withWorkflowLock(db, row.workflow_id, async (lease) => {
    if (!(await isActive(db, row.job_id))) throw cancelled(row.job_id)
    const now = await readSwap(db, row.job_id)
    if (!now) throw swapEnded(row.job_id)
    if (now.index_uuid) return now.index_uuid
    const { uuid } = await swapOf(destination).stage(row.index_name, { dims }, signal)
    const index = { name: row.index_name, uuid }
    await lease.transaction((transaction) => recordIndex(transaction, row.ledger_id, index))
    return uuid
  })
}

function swapEnded(jobId: string): AppError {
  return new AppError('taken_over', `another task ended the swap of job ${jobId}`)
}

/** The time, and a part of the job id that makes the name unique. */
function suffixFor(job: JobRow): string {
  const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)
  return `${time}-${job.id.slice(0, 8)}`
}
