import { AppError } from '../../errors.ts'
import type { Database } from '../../store/database.ts'
import { unfinishedCount } from '../../store/jobs/job-documents.ts'
import { ACTIVE, isActive, type JobRow, readJob } from '../../store/jobs/jobs.ts'
import type { Connections } from '../connections.ts'
import type { TaskAttempt, TaskQueue } from '../engine.ts'
import { cancelled } from '../job-outcome.ts'
import type { Resources } from '../resources.ts'
import type { JobRuns } from '../runs.ts'

export type TaskContext = {
  resources: Resources
  engine: TaskQueue
  runs: JobRuns
  connections: Connections
}

export type JobTask = {
  attempt: TaskAttempt
  work(signal: AbortSignal): Promise<void>
  /** Called once no retry can help. */
  fail(error: unknown, signal: AbortSignal): Promise<void>
  /** Whether a `cancelled` error means that a later task took over. */
  mayBeSuperseded?: boolean
}

/** Throws if the queue has to retry the task. */
export async function runJobTask(db: Database, job: JobRow, task: JobTask): Promise<'done' | 'cancelled'> {
  const watch = watchCancellation(db, job.id, task.attempt.signal)
  try {
    await task.work(watch.signal)
  } catch (error) {
    if (watch.isCancelled() || (task.mayBeSuperseded && isCancelled(error))) return 'cancelled'
    if (canRetry(error, task.attempt)) throw error
    await task.fail(error, watch.signal)
  } finally {
    watch.end()
  }
  return 'done'
}

export async function readActiveJob(db: Database, jobId: string): Promise<JobRow | undefined> {
  const job = await readJob(db, jobId)
  return job && ACTIVE.includes(job.status) ? job : undefined
}

/** Sends `finish` once the listing has ended and no document is left. */
export async function finishIfDone({ resources, engine }: TaskContext, jobId: string): Promise<void> {
  const { db } = resources
  const job = await readJob(db, jobId)
  if (job?.listed && (await unfinishedCount(db, jobId)) === 0) await engine.send('finish', { jobId })
}

function isCancelled(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cancelled'
}

/** An aborted task goes to another worker. Connectors retry by themselves, so their errors get two more tries. */
function canRetry(error: unknown, { tries, lastTry, signal }: TaskAttempt): boolean {
  if (signal.aborted) return true
  if (lastTry) return false
  return error instanceof AppError ? error.retryable && tries < 3 : true
}

/** Aborts the work within a second after the job is cancelled. */
function watchCancellation(db: Database, jobId: string, taskSignal: AbortSignal) {
  const controller = new AbortController()
  const timer = setInterval(async () => {
    const active = await isActive(db, jobId).catch(() => true)
    if (!active) controller.abort(cancelled(jobId))
  }, 1000)
  timer.unref()
  return {
    signal: AbortSignal.any([taskSignal, controller.signal]),
    isCancelled: () => controller.signal.aborted,
    end: () => clearInterval(timer),
  }
}
