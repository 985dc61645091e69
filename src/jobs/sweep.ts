import { AppError, explain } from '../errors.ts'
import { endUnfinished } from '../store/job-documents.ts'
import { isActive, listActiveJobs } from '../store/jobs.ts'
import { failJob } from './ending.ts'
import type { Engine } from './engine.ts'
import type { Resources } from './resources.ts'
import { isOfUploads } from './uploaded.ts'

/**
 * Looks for jobs that nobody is working on any more: a task that was lost between two statements, or was given
 * up after its workers died time and again. Harmless to do at any time and by several workers at once.
 */
export async function sweep({ resources, engine }: { resources: Resources; engine: Engine }): Promise<void> {
  const { db } = resources
  const settledFor = Date.now() - 15_000
  for (const job of await listActiveJobs(db)) {
    if (job.created_at.getTime() > settledFor) continue
    const tasks = await engine.tasksOf(job.id)
    if (tasks.alive || !(await isActive(db, job.id))) continue
    const interrupted = new AppError('internal', 'the work was interrupted too often; run the workflow again')
    if (isOfUploads(job)) {
      if (tasks.givenUp.includes('files')) await failJob(resources, job.id, interrupted)
      else await engine.send('files', { jobId: job.id })
    } else if (!job.listed && tasks.givenUp.includes('list')) await failJob(resources, job.id, interrupted)
    else if (!job.listed) await engine.send('list', { jobId: job.id })
    else {
      await endUnfinished(db, { jobId: job.id }, { state: 'failed', ...explain(interrupted) })
      await engine.send('finish', { jobId: job.id })
    }
  }
}
