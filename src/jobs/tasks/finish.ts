import { CHANGED_TOO_OFTEN, MAX_LISTINGS, MAX_LISTINGS_FOR_MOVED } from '../../ingest/relist-limits.ts'
import { deferredRecords, endUnfinished, isReadyToFinish } from '../../store/jobs/job-documents.ts'
import { type JobRow, readJob, reopenListing } from '../../store/jobs/jobs.ts'
import { completeJob, failJob } from '../job-outcome.ts'
import type { Handler } from '../queue/engine.ts'
import { giveUpDocuments } from '../queue/give-up-documents.ts'
import { removeMissing } from '../remove-missing.ts'
import { finishSwap } from '../swap/finish-swap.ts'
import { readActiveJob, runJobTask, type TaskContext } from './job-task.ts'

/** The number of removed documents, or another outcome. */
type Finish = number | 'ended' | 'again'

export function finishTask(context: TaskContext): Handler<'finish'> {
  const { db } = context.resources
  return async ({ jobId }, attempt) => {
    const job = await readActiveJob(db, jobId)
    // The task may be delivered again after it reopened the listing.
    if (!job || !(await isReadyToFinish(db, jobId))) return
    await runJobTask(db, job, {
      attempt,
      work: (signal) => finish(job, context, signal),
      fail: (error) => failJob(context.resources, jobId, error),
    })
  }
}

async function finish(job: JobRow, context: TaskContext, signal: AbortSignal): Promise<void> {
  const { resources, engine } = context
  const { db, log } = resources
  const removed = await removeOrSwap(job, context, signal)
  if (removed === 'again') {
    await db.transaction().execute(async (transaction) => {
      if (await reopenListing(transaction, job)) await engine.send('list', { jobId: job.id }, transaction)
    })
    return
  }
  if (!(await completeJob(db, job))) return
  const ended = await readJob(db, job.id)
  log.info({ job_id: job.id, processing_status: ended?.processing_status, removed }, 'job finished')
}

async function removeOrSwap(
  job: JobRow,
  { resources, runs }: TaskContext,
  signal: AbortSignal,
): Promise<Finish> {
  const { db } = resources
  const failWaiting = () => endUnfinished(db, { jobId: job.id }, { state: 'failed', ...CHANGED_TOO_OFTEN })
  const isWaiting = (await deferredRecords(db, job.id)).size > 0
  // A worker may have died after the swap.
  if (job.swap === 'swapped' || job.swap === 'discarded') {
    if (isWaiting) await failWaiting()
    return 'ended'
  }
  if (isWaiting && job.listing_round < MAX_LISTINGS) return 'again'
  const mayRelist = job.listing_round < MAX_LISTINGS_FOR_MOVED
  const finished = runs.with<Finish>(
    job,
    async (run) => {
      if (isWaiting) await giveUpDocuments(job, { resources, run, error: CHANGED_TOO_OFTEN }, signal)
      return run.swap
        ? finishSwap(job, { resources, run, swap: run.swap, mayRelist }, signal)
        : removeMissing(job, { resources, run, approved: false, mayRelist }, signal)
    },
    signal,
  )
  return finished.catch(async (error: unknown) => {
    // A worker that discarded the staged index died before it ended the job.
    if ((await readJob(db, job.id))?.swap !== 'discarded') throw error
    await failWaiting()
    return 'ended' as const
  })
}
