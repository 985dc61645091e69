import { AppError, explain } from '../../errors.ts'
import { endUnfinished, releaseClaims } from '../../store/jobs/job-documents.ts'
import { type JobRow, listActiveJobs } from '../../store/jobs/jobs.ts'
import type { Connections } from '../connections.ts'
import { failJob } from '../job-outcome.ts'
import type { Resources } from '../resources.ts'
import type { JobRuns } from '../runs.ts'
import { readActiveJob } from '../tasks/job-task.ts'
import { isUploadJob } from '../upload-jobs.ts'
import { sendContentTasks } from './content-tasks.ts'
import type { LostJob, TaskQueue } from './engine.ts'
import { giveUpDocuments } from './give-up-documents.ts'

/** For writing the permissions of failed documents; the destination may not respond. */
const GIVE_UP_TIMEOUT_MS = 60_000

type RecoveryContext = { resources: Resources; engine: TaskQueue; runs: JobRuns; connections: Connections }

/** Continues jobs that lost their task, and fails those whose task was given up. Safe in several workers. */
export async function recoverJobs(context: RecoveryContext): Promise<void> {
  const { db } = context.resources
  const newest = Date.now() - 15_000
  const active = await listActiveJobs(db)
  const old = active.filter((job) => job.created_at.getTime() <= newest)
  for (const lost of await context.engine.lostJobs(old.map(({ id }) => id))) {
    // Read after the tasks: another worker may have continued the job.
    const job = await readActiveJob(db, lost.jobId)
    if (job) await recoverJob(job, lost, context)
  }
}

/** Sending a task that waits or runs has no effect. */
async function recoverJob(job: JobRow, { givenUp, givenUpTasks }: LostJob, context: RecoveryContext) {
  const { resources, engine } = context
  const jobId = job.id
  const error = new AppError('internal', 'the job was interrupted too often; run the workflow again')
  const single = singleTask(job)
  if (single) {
    if (givenUp.includes(single)) await failJob(resources, jobId, error)
    else if (single === 'verify' || single === 'files') {
      // A new task does not get what the lost one has claimed.
      if (single === 'files') await releaseClaims(resources.db, jobId)
      await engine.send(single, { jobId, part: 0 })
    } else await engine.send(single, { jobId })
    return
  }
  if (givenUp.includes('finish') || (!job.listed && givenUp.includes('list'))) {
    await failJob(resources, jobId, error)
    return
  }
  if (!job.listed) {
    await engine.send('list', { jobId })
    return
  }
  for (const task of givenUpTasks) await giveUpTask(job, { task, error }, context)
  const waiting = await resources.db.transaction().execute(async (transaction) => {
    const released = await releaseClaims(transaction, jobId)
    await sendContentTasks(transaction, { engine, jobId, ...released })
    return released.documents + released.suspects
  })
  // `finish` lists deferred documents again.
  if (waiting === 0) await engine.send('finish', { jobId })
}

/** The queue of a job with one task at a time. */
function singleTask(job: JobRow): 'permissions' | 'verify' | 'remove_elements' | 'files' | null {
  if (job.kind === 'verify') return 'verify'
  if (job.kind === 'permissions') return 'permissions'
  if (job.settings.remove_elements) return 'remove_elements'
  return isUploadJob(job) ? 'files' : null
}

async function giveUpTask(
  job: JobRow,
  { task, error }: { task: string; error: AppError },
  { resources, runs }: RecoveryContext,
): Promise<void> {
  const { db, log } = resources
  const signal = AbortSignal.timeout(GIVE_UP_TIMEOUT_MS)
  const reason = explain(error)
  await runs
    .with(job, (run) => giveUpDocuments(job, { resources, run, task, error: reason }, signal), signal)
    .catch((failed: unknown) =>
      log.warn({ job_id: job.id, err: failed }, 'writing permissions of failed documents failed'),
    )
  await endUnfinished(db, { jobId: job.id, task }, { state: 'failed', ...reason })
}
