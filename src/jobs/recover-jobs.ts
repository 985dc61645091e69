import { AppError, explain } from '../errors.ts'
import { endUnfinished, unfinishedSlices } from '../store/jobs/job-documents.ts'
import { isActive, listActiveJobs } from '../store/jobs/jobs.ts'
import type { Connections } from './connections.ts'
import type { TaskQueue } from './engine.ts'
import { failRun, giveUpDocuments } from './give-up-documents.ts'
import { failJob } from './job-outcome.ts'
import type { Resources } from './resources.ts'
import type { JobRuns } from './runs.ts'
import { isUploadJob } from './upload-jobs.ts'

/** For writing the permissions of failed documents; the destination may not respond. */
const GIVE_UP_MS = 60_000

type RecoveryContext = { resources: Resources; engine: TaskQueue; runs: JobRuns; connections: Connections }

/** Continues jobs that lost their task, and fails those whose task was given up. Safe in several workers. */
export async function recoverJobs({ resources, engine, runs, connections }: RecoveryContext): Promise<void> {
  const { db, log } = resources
  const newest = Date.now() - 15_000
  for (const job of await listActiveJobs(db)) {
    if (job.created_at.getTime() > newest) continue
    const tasks = await engine.tasksOf(job.id)
    if (tasks.alive || !(await isActive(db, job.id))) continue
    const interrupted = new AppError('internal', 'the job was interrupted too often; run the workflow again')
    if (isUploadJob(job)) {
      if (tasks.givenUp.includes('files')) await failJob(resources, job.id, interrupted)
      else await engine.send('files', { jobId: job.id })
    } else if (!job.listed && tasks.givenUp.includes('list')) {
      const signal = AbortSignal.timeout(GIVE_UP_MS)
      await failRun(job, { resources, connections, error: interrupted }, signal)
    } else if (!job.listed) await engine.send('list', { jobId: job.id })
    else {
      // `finish` lists documents again that wait for it.
      const error = explain(interrupted)
      const signal = AbortSignal.timeout(GIVE_UP_MS)
      for (const slice of await unfinishedSlices(db, job.id)) {
        await runs
          .with(job, (run) => giveUpDocuments(job, { resources, run, slice, error }, signal), signal)
          .catch((failed: unknown) =>
            log.warn(
              { job_id: job.id, slice, err: failed },
              'writing permissions of failed documents failed',
            ),
          )
        await endUnfinished(db, { jobId: job.id, slice }, { state: 'failed', ...error })
      }
      await engine.send('finish', { jobId: job.id })
    }
  }
}
