import { swapOf } from '../../connectors/capabilities.ts'
import type { Destination } from '../../connectors/connector.ts'
import { AppError } from '../../errors.ts'
import { readConnector } from '../../store/connectors/connectors.ts'
import { addWarning, isActive, type JobRow, readJob } from '../../store/jobs/jobs.ts'
import { countDocuments, type LedgerOf } from '../../store/ledger/documents.ts'
import {
  clearSwapGivenUp,
  hasSettings,
  insertSwap,
  markInPlaceTried,
  noteIndex,
  noteStaged,
  pinSwap,
  readSwap,
  readSwapOf,
  recordSwapGivenUp,
  type SwapRow,
} from '../../store/swaps/swaps.ts'
import { withWorkflowLock } from '../../store/workflows/workflow-lock.ts'
import { readWorkflow, type WorkflowRow } from '../../store/workflows/workflows.ts'
import type { Connections } from '../connections.ts'
import { cancelled } from '../job-outcome.ts'
import type { Staged } from '../job-run.ts'
import type { Resources } from '../resources.ts'
import { endSwap, reconcileWorkflow } from './end-swap.ts'
import { refuseForeignElements, refuseOtherWriters, refuseUnknownElements } from './refusals.ts'

/** `swap` is set for a staged index. */
export type TargetIndex = {
  destination: Destination
  identity: string
  ledger: LedgerOf
  swap: Staged | null
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
  const decided = (await readJob(db, job.id))?.swap ?? (await decide(job, context, signal))
  if (decided === 'in_place') return inPlace(job, context, signal)
  const row = decided === 'staged' ? await readSwap(db, job.id) : undefined
  if (!row || !destination.swap) throw cancelled(job.id)
  return openStaged(row, context, signal)
}

async function inPlace(
  job: JobRow,
  { resources: { db }, destination, dims }: ChooseContext,
  signal: AbortSignal,
): Promise<TargetIndex> {
  const { identity, behind } = await destination.prepare({ dims }, signal)
  const workflow = await readWorkflow(db, job.workflow_id)
  if (workflow && workflow.index_uuid !== identity) {
    if (behind) await refuseUnknownElements(db, { workflow, destination, now: { identity, behind } }, signal)
    await noteIndex(db, workflow.id, { name: behind ?? null, uuid: identity })
  }
  return { destination, identity, ledger: { workflowId: job.workflow_id }, swap: null }
}

async function openStaged(row: SwapRow, context: ChooseContext, signal: AbortSignal): Promise<TargetIndex> {
  const { destination: searched, dims, resources } = context
  const swapping = swapOf(searched)
  const uuid = row.index_uuid ?? (await createStaged(row, context, signal))
  const destination = swapping.at(row.index_name)
  const { identity } = await destination.prepare({ dims }, signal).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'destination_index_missing') return { identity: null }
    throw error
  })
  if (identity !== uuid) {
    // The worker that deleted it may have died before it recorded that.
    await endSwap(resources.db, row, { why: 'it does not exist any more', open: async () => searched })
    throw new AppError('destination_index_missing', `the new index ${row.index_name} does not exist any more`)
  }
  const ledger = { workflowId: row.workflow_id, swapId: row.job_id }
  const swap = { row: { ...row, index_uuid: uuid }, swapping, searched }
  return { destination, identity, ledger, swap }
}

/** Decides whether this run swaps, and begins the swap. */
async function decide(job: JobRow, context: ChooseContext, signal: AbortSignal): Promise<JobRow['swap']> {
  const { db } = context.resources
  const noSwap = () => pinSwap(db, job.id, 'in_place')
  const workflow = await readWorkflow(db, job.workflow_id)
  if (!job.settings.swap_index || !workflow) return noSwap()
  // Nothing is indexed yet, so no search is disturbed.
  if ((await countDocuments(db, workflow.id)) === 0) return noSwap()
  const identity = await swapOf(context.destination).identity(signal)
  // The index was replaced: the new one has to be filled.
  if (workflow.index_uuid !== null && workflow.index_uuid !== identity) return noSwap()
  const hash = context.hashFor(identity)
  if (workflow.swap_given_up && workflow.swap_given_up.hash !== hash) await clearSwapGivenUp(db, workflow.id)
  if (!job.settings.reprocess_all && (await hasSettings(db, workflow.id, hash))) return noSwap()
  if (isGivenUp(job, workflow, hash)) {
    await markInPlaceTried(db, workflow.id)
    await addWarning(db, job.id, {
      code: 'swap_given_up',
      message: `wrote to the searched index, because the swap of job ${workflow.swap_given_up?.job_id} was not completed; other settings, or a later run that a person starts with reprocess_all, swap again`,
    })
    return noSwap()
  }
  try {
    await begin(job, { workflow, hash, context }, signal)
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

/** After a failed swap one run writes in place, so that permissions reach the searched index. */
function isGivenUp(job: JobRow, workflow: WorkflowRow, hash: string): boolean {
  const given = workflow.swap_given_up
  if (given?.hash !== hash) return false
  const isRequested = job.settings.reprocess_all && job.started_by !== null
  return !(given.tried && isRequested)
}

type BeginOptions = { workflow: WorkflowRow; hash: string; context: ChooseContext }

async function begin(
  job: JobRow,
  { workflow, hash, context }: BeginOptions,
  signal: AbortSignal,
): Promise<void> {
  const { resources, destination } = context
  const swapping = swapOf(destination)
  const old = await swapping.searched(signal)
  const connector = await readConnector(resources.db, context.destinationId)
  if (connector) await refuseOtherWriters(resources.db, workflow.id, { ...connector, behind: [old.name] })
  await refuseForeignElements(resources.db, { workflowId: workflow.id, destination }, signal)
  await withWorkflowLock(resources.db, workflow.id, async (locked) => {
    if (!(await isActive(locked, job.id))) throw cancelled(job.id)
    const other = await readSwapOf(locked, workflow.id)
    if (other?.job_id === job.id) return
    if (other) throw new AppError('internal', `the swap of job ${other.job_id} has not ended yet`)
    await insertSwap(locked, {
      job_id: job.id,
      workflow_id: workflow.id,
      destination_id: context.destinationId,
      index_name: swapping.nameFor(suffixFor(job)),
      old_name: old.name,
      old_uuid: old.uuid,
      settings_hash: hash,
    })
  })
}

/** Under the lock, so that no other worker deletes it at the same time. */
async function createStaged(
  row: SwapRow,
  { resources, destination, dims }: ChooseContext,
  signal: AbortSignal,
): Promise<string> {
  return withWorkflowLock(resources.db, row.workflow_id, async (locked) => {
    const now = await readSwap(locked, row.job_id)
    if (!now || !(await isActive(locked, row.job_id))) throw cancelled(row.job_id)
    if (now.index_uuid) return now.index_uuid
    const { uuid } = await swapOf(destination).stage(row.index_name, { dims }, signal)
    await noteStaged(locked, row.job_id, uuid)
    return uuid
  })
}

/** The time, and a part of the job id that makes the name unique. */
function suffixFor(job: JobRow): string {
  const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)
  return `${time}-${job.id.slice(0, 8)}`
}
