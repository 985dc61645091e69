import { AppError, explain } from '../errors.ts'
import { endUnfinished, unfinishedSlices } from '../store/jobs/job-documents.ts'
import { isActive, listActiveJobs } from '../store/jobs/jobs.ts'
import type { Connections } from './connections.ts'
import type { TaskQueue } from './engine.ts'
import { failRun, giveUpDocuments } from './give-up-documents.ts'
import { failJob } from './job-outcome.ts'
import type { Resources } from './resources.ts'
import type { JobRuns } from './runs.ts'
import { isOfUploads } from './upload-jobs.ts'

/** For carrying the permissions of documents that are given up; the index may not answer. */
const GIVE_UP_MS = 60_000

type Sweeping = { resources: Resources; engine: TaskQueue; runs: JobRuns; connections: Connections }

/**
 * Looks for jobs that nobody is working on any more: a task that was lost between two statements, or was given
 * up after its workers died time and again. Harmless to do at any time and by several workers at once.
 */
export async function sweep({ resources, engine, runs, connections }: Sweeping): Promise<void> {
  const { db, log } = resources
  const settledFor = Date.now() - 15_000
  for (const job of await listActiveJobs(db)) {
    if (job.created_at.getTime() > settledFor) continue
    const tasks = await engine.tasksOf(job.id)
    if (tasks.alive || !(await isActive(db, job.id))) continue
    const interrupted = new AppError('internal', 'the work was interrupted too often; run the workflow again')
    if (isOfUploads(job)) {
      if (tasks.givenUp.includes('files')) await failJob(resources, job.id, interrupted)
      else await engine.send('files', { jobId: job.id })
    } else if (!job.listed && tasks.givenUp.includes('list')) {
      const signal = AbortSignal.timeout(GIVE_UP_MS)
      await failRun(job, { resources, connections, error: interrupted }, signal)
    } else if (!job.listed) await engine.send('list', { jobId: job.id })
    else {
      // What waits to be listed again the task itself looks after.
      const error = explain(interrupted)
      const signal = AbortSignal.timeout(GIVE_UP_MS)
      for (const slice of await unfinishedSlices(db, job.id)) {
        await runs
          .with(job, (run) => giveUpDocuments(job, { resources, run, slice, error }, signal), signal)
          .catch((failed: unknown) =>
            log.warn({ job_id: job.id, slice, err: failed }, 'permissions could not be carried'),
          )
        await endUnfinished(db, { jobId: job.id, slice }, { state: 'failed', ...error })
      }
      await engine.send('finish', { jobId: job.id })
    }
  }
}
