import { AppError, explain } from '../errors.ts'
import { endUnfinished } from '../store/job-documents.ts'
import { isActive, listActiveJobs } from '../store/jobs.ts'
import type { Connections } from './connections.ts'
import { failJob } from './ending.ts'
import type { Engine } from './engine.ts'
import type { Resources } from './resources.ts'
import { reconcileAbandoned } from './swap-ending.ts'
import { isOfUploads } from './uploaded.ts'

/**
 * Looks for jobs that nobody is working on any more: a task that was lost between two statements, or was given
 * up after its workers died time and again. Harmless to do at any time and by several workers at once.
 */
export async function sweep({
  resources,
  engine,
  connections,
}: {
  resources: Resources
  engine: Engine
  connections: Connections
}): Promise<void> {
  const { db } = resources
  const settledFor = Date.now() - 15_000
  for (const job of await listActiveJobs(db)) {
    if (job.created_at.getTime() > settledFor) continue
    const tasks = await engine.tasksOf(job.id)
    if (tasks.alive || !(await isActive(db, job.id))) continue
    const interrupted = new AppError('internal', 'the work was interrupted too often; run the workflow again')
    if (isOfUploads(job) && !tasks.givenUp.includes('files')) {
      await engine.send('files', { jobId: job.id })
      continue
    }
    if (!job.listed && tasks.givenUp.includes('list')) await failJob(resources, job.id, interrupted)
    else if (!job.listed) await engine.send('list', { jobId: job.id })
    else {
      await endUnfinished(db, { jobId: job.id }, { state: 'failed', ...explain(interrupted) })
      await engine.send('finish', { jobId: job.id })
    }
  }
  await reconcileAbandoned({ resources, connections }, AbortSignal.timeout(300_000))
}
