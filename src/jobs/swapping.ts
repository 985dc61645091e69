import { swapOf } from '../connectors/capabilities.ts'
import type { Destination, Swap } from '../connectors/connector.ts'
import { AppError } from '../errors.ts'
import { readConnector } from '../store/connectors/connectors.ts'
import { addWarning, isActive, type JobRow, readJob } from '../store/jobs/jobs.ts'
import { countDocuments, type LedgerOf } from '../store/ledger/documents.ts'
import {
  forgiveSwaps,
  giveUpSwaps,
  hasSettings,
  insertSwap,
  noteIndex,
  noteStaged,
  noteTried,
  pinSwap,
  readSwap,
  readSwapOf,
  type SwapRow,
} from '../store/swaps/swaps.ts'
import { withWorkflowLock } from '../store/workflows/workflow-lock.ts'
import { readWorkflow, type WorkflowRow } from '../store/workflows/workflows.ts'
import type { Connections } from './connections.ts'
import { cancelled } from './ending.ts'
import type { Resources } from './resources.ts'
import { endSwap, reconcileWorkflow } from './swap-ending.ts'
import { refuseOtherWriters, refuseStrangers, refuseUnknownElements } from './swap-refusals.ts'

/** The index a run writes, and the ledger of what is in it. `swap` is set where it is not the one that is searched. */
export type TargetIndex = {
  destination: Destination
  identity: string
  ledger: LedgerOf
  swap: Staged | null
}
export type Staged = { row: SwapRow & { index_uuid: string }; swapping: Swap; searched: Destination }

type Choosing = {
  resources: Resources
  connections: Connections
  destinationId: string
  /** As it is named: the alias, where it is one. */
  destination: Destination
  dims: number | null
  /** The hash of the settings for an index of this identity. */
  hashFor(identity: string): string
}

/**
 * Mostly the index that is there. Where a workflow asks for swaps and everything would have to be worked again, it
 * goes into a new index, and people go on searching the old one until the new one is complete.
 */
export async function chooseTargetIndex(
  job: JobRow,
  choosing: Choosing,
  signal: AbortSignal,
): Promise<TargetIndex> {
  const { resources, connections, destination } = choosing
  const { db } = resources
  const { destinationId } = choosing
  await reconcileWorkflow(job.workflow_id, { resources, connections, destinationId }, signal)
  const decided = (await readJob(db, job.id))?.swap ?? (await decide(job, choosing, signal))
  if (decided === 'in_place') return inPlace(job, choosing, signal)
  const row = decided === 'staged' ? await readSwap(db, job.id) : undefined
  if (!row || !destination.swap) throw cancelled(job.id)
  return staged(row, choosing, signal)
}

async function inPlace(
  job: JobRow,
  { resources: { db }, destination, dims }: Choosing,
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

async function staged(row: SwapRow, choosing: Choosing, signal: AbortSignal): Promise<TargetIndex> {
  const { destination: searched, dims, resources } = choosing
  const swapping = swapOf(searched)
  const uuid = row.index_uuid ?? (await make(row, choosing, signal))
  const destination = swapping.at(row.index_name)
  const { identity } = await destination.prepare({ dims }, signal).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'destination_index_missing') return { identity: null }
    throw error
  })
  if (identity !== uuid) {
    // Whoever gave it up may have died before it could say so.
    await endSwap(resources.db, row, { why: 'it is not there any more', open: async () => searched })
    throw new AppError('destination_index_missing', `the new index ${row.index_name} is not there any more`)
  }
  const ledger = { workflowId: row.workflow_id, swapId: row.job_id }
  const swap = { row: { ...row, index_uuid: uuid }, swapping, searched }
  return { destination, identity, ledger, swap }
}

/** Whether this run swaps, and if so, the beginning of it. */
async function decide(job: JobRow, choosing: Choosing, signal: AbortSignal): Promise<JobRow['swap']> {
  const { db } = choosing.resources
  const stays = () => pinSwap(db, job.id, 'in_place')
  const workflow = await readWorkflow(db, job.workflow_id)
  if (!job.settings.swap_index || !workflow) return stays()
  // Nothing is there yet: there is nobody to keep an old index for.
  if ((await countDocuments(db, workflow.id)) === 0) return stays()
  const identity = await swapOf(choosing.destination).identity(signal)
  // The index is another than before: it is this one that has to be filled.
  if (workflow.index_uuid !== null && workflow.index_uuid !== identity) return stays()
  const hash = choosing.hashFor(identity)
  if (workflow.swap_given_up && workflow.swap_given_up.hash !== hash) await forgiveSwaps(db, workflow.id)
  if (!job.settings.reprocess_all && (await hasSettings(db, workflow.id, hash))) return stays()
  if (isGivenUp(job, workflow, hash)) {
    await noteTried(db, workflow.id)
    await addWarning(db, job.id, {
      code: 'swap_given_up',
      message: `worked in the index that is searched, since the swap of job ${workflow.swap_given_up?.job_id} was not done; other settings, or a run with reprocess_all that a person starts after this one, swap again`,
    })
    return stays()
  }
  try {
    await begin(job, { workflow, hash, choosing }, signal)
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable || error.code === 'cancelled') throw error
    // Else every run would meet the same, and rights would never reach what people search.
    if (!(await readSwap(db, job.id))) await giveUpSwaps(db, workflow.id, { hash, jobId: job.id })
    throw new AppError(error.code, `${error.message}. The next run works in the index that is searched`, {
      cause: error,
      ...(error.fix ? { fix: error.fix } : {}),
    })
  }
  // Mostly `staged`; another process may have been first.
  return (await readJob(db, job.id))?.swap ?? null
}

/**
 * A swap that ended short is not tried again by itself: a page that fails would keep the rights of all others from
 * reaching the index that is searched. One run in place comes first, whoever asks.
 */
function isGivenUp(job: JobRow, workflow: WorkflowRow, hash: string): boolean {
  const given = workflow.swap_given_up
  if (given?.hash !== hash) return false
  const isAsked = job.settings.reprocess_all && job.started_by !== null
  return !(given.tried && isAsked)
}

type Beginning = { workflow: WorkflowRow; hash: string; choosing: Choosing }

async function begin(
  job: JobRow,
  { workflow, hash, choosing }: Beginning,
  signal: AbortSignal,
): Promise<void> {
  const { resources, destination } = choosing
  const swapping = swapOf(destination)
  const old = await swapping.searched(signal)
  const connector = await readConnector(resources.db, choosing.destinationId)
  if (connector) await refuseOtherWriters(resources.db, workflow.id, { ...connector, behind: [old.name] })
  await refuseStrangers(resources.db, { workflowId: workflow.id, destination }, signal)
  await withWorkflowLock(resources.db, workflow.id, async (locked) => {
    if (!(await isActive(locked, job.id))) throw cancelled(job.id)
    const other = await readSwapOf(locked, workflow.id)
    if (other?.job_id === job.id) return
    if (other) throw new AppError('internal', `the swap of job ${other.job_id} has not been cleared up yet`)
    await insertSwap(locked, {
      job_id: job.id,
      workflow_id: workflow.id,
      destination_id: choosing.destinationId,
      index_name: swapping.nameFor(suffixFor(job)),
      old_name: old.name,
      old_uuid: old.uuid,
      settings_hash: hash,
    })
  })
}

/** Behind the lock, so that nobody gives it up and makes it at the same time. */
async function make(
  row: SwapRow,
  { resources, destination, dims }: Choosing,
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

/** The time for people, and something of the job so that no name is had twice. */
function suffixFor(job: JobRow): string {
  const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)
  return `${time}-${job.id.slice(0, 8)}`
}
