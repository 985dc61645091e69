import type { Destination } from '../../connectors/destination.ts'
import { AppError } from '../../errors.ts'
import { addWarning, type JobRow, markListed, markStarted } from '../../store/jobs/jobs.ts'
import { nextFence } from '../../store/ledger/fences.ts'
import { dropLeft, type LeavingDocument, leavingDocuments } from '../../store/ledger/ledger-removal.ts'
import { withDestination } from '../connections.ts'
import { completeJob, failJob } from '../job-outcome.ts'
import type { Handler } from '../queue/engine.ts'
import { readActiveJob, runJobTask, type TaskContext } from './job-task.ts'

/** Removes the elements of a deleted workflow from its index. A retry continues with what the ledger still holds. */
export function removeElementsTask({ resources, connections }: TaskContext): Handler<'remove_elements'> {
  const { db, log } = resources
  return async ({ jobId }, attempt) => {
    const job = await readActiveJob(db, jobId)
    if (!job?.settings.destination_id) return
    const { destination_id: destinationId } = job.settings
    await markStarted(db, jobId)
    await runJobTask(db, job, {
      attempt,
      work: async (signal) => {
        await withDestination(connections, destinationId, (destination) =>
          removeLedger(job, { context: { resources }, destination }, signal),
        )
        await markListed(db, job, true)
        if (await completeJob(db, job))
          log.info({ job_id: jobId, workflow_id: job.workflow_id }, 'elements of a deleted workflow removed')
      },
      fail: (error) => failJob(resources, jobId, error),
    })
  }
}

type RemovalContext = { context: Pick<TaskContext, 'resources'>; destination: Destination }

async function removeLedger(
  job: JobRow,
  { context, destination }: RemovalContext,
  signal: AbortSignal,
): Promise<void> {
  const { db } = context.resources
  const { id: jobId, workflow_id: workflowId } = job
  let isIndexGone = false
  while (true) {
    signal.throwIfAborted()
    const documents = await leavingDocuments(db, workflowId)
    if (documents.length === 0)
      return isIndexGone ? undefined : removeControl(job, { context, destination }, signal)
    if (!isIndexGone) isIndexGone = !(await removeFrom(destination, { job, documents }, signal))
    if (isIndexGone) await addWarning(db, jobId, INDEX_GONE)
    await dropLeft(db, { jobId, workflowId, counted: !isIndexGone }, documents)
  }
}

/** A missing index has none. */
async function removeControl(
  { workflow_id: workflowId }: JobRow,
  { context, destination }: RemovalContext,
  signal: AbortSignal,
): Promise<void> {
  const fence = await nextFence(context.resources.db)
  await destination.control?.remove(workflowId, fence, signal).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'destination_index_missing') throw error
  })
}

/** Returns false if the index no longer exists. */
async function removeFrom(
  destination: Destination,
  { job, documents }: { job: JobRow; documents: LeavingDocument[] },
  signal: AbortSignal,
): Promise<boolean> {
  // Later writes are those of a successor, and they stay. A late task of this workflow has a higher fence of its own.
  const fence = job.settings.remove_fence ?? 0
  const [known, late] = [
    documents.filter((document) => document.fence <= fence),
    documents.filter((document) => document.fence > fence),
  ]
  try {
    await destination.remove(known, fence, signal)
    if (late.length > 0)
      await destination.remove(late, Math.max(...late.map((document) => document.fence)), signal)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'destination_index_missing') return false
    throw error
  }
}

const INDEX_GONE = {
  code: 'index_missing',
  message: 'the index does not exist any more, or another one has its name; there was nothing to remove',
}
