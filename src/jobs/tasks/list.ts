import { AppError, explain } from '../../errors.ts'
import { stageDurations } from '../../process-metrics.ts'
import { addUnlistedScopes } from '../../store/jobs/job-scopes.ts'
import {
  addStepTimes,
  addWarning,
  type JobRow,
  markListed,
  markStarted,
  readJob,
} from '../../store/jobs/jobs.ts'
import { failJob } from '../job-outcome.ts'
import { isPartial, type JobRun } from '../job-run.ts'
import { listSource } from '../list-source.ts'
import type { Handler } from '../queue/engine.ts'
import { claimSite } from '../site-claim.ts'
import { finishIfDone, readActiveJob, runJobTask, type TaskContext } from './job-task.ts'

export function listTask(context: TaskContext): Handler<'list'> {
  const { resources, engine, runs } = context
  const { db, log } = resources
  return async ({ jobId }, attempt) => {
    const job = await readActiveJob(db, jobId)
    if (!job) return
    if (!job.started_at) log.info({ job_id: jobId, workflow_id: job.workflow_id }, 'job started')
    await markStarted(db, jobId)
    const ended = await runJobTask(db, job, {
      attempt,
      work: async (signal) => {
        if (job.listed) return
        const startedAt = performance.now()
        const work = async (run: JobRun) => {
          await claimSite(job, { db, run }, signal)
          await listSource(job, { resources, engine, run }, signal)
        }
        const ms = () => performance.now() - startedAt
        await runs.with(job, work, signal).finally(() => addStepTimes(db, jobId, { list: ms() }))
        stageDurations.observe({ stage: 'list' }, ms() / 1000)
      },
      fail: (error) => endListing(job, context, error),
      mayBeTakenOver: true,
    })
    if (ended === 'done') await finishIfDone(context, jobId)
  }
}

/** Listed documents are still processed, unless the error ends the job. */
async function endListing(job: JobRow, context: TaskContext, error: unknown): Promise<void> {
  const { db, log } = context.resources
  log.error({ job_id: job.id, err: error }, 'the listing failed')
  const slices = (await readJob(db, job.id))?.slices ?? 0
  if ((error instanceof AppError && error.endsJob) || slices === 0)
    return failJob(context.resources, job.id, error)
  await addWarning(db, job.id, {
    code: 'listing_broken',
    message: `the listing failed, and documents that it did not reach were not removed: ${explain(error).message}`,
  })
  if (!isPartial(job))
    await addUnlistedScopes(db, { jobId: job.id, workflowId: job.workflow_id, complete: false })
  await markListed(db, job, false)
}
