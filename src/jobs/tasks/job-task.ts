import { AppError, type ErrorCode } from '../../errors.ts'
import type { Database } from '../../store/database.ts'
import { isReadyToFinish } from '../../store/jobs/job-documents.ts'
import { ACTIVE_STATUSES, type JobRow, readJob, whichActive } from '../../store/jobs/jobs.ts'
import type { Connections } from '../connections.ts'
import { cancelled } from '../job-outcome.ts'
import type { TaskAttempt, TaskQueue } from '../queue/engine.ts'
import type { Resources } from '../resources.ts'
import type { JobRuns } from '../runs.ts'

export type TaskContext = {
  resources: Resources
  engine: TaskQueue
  runs: JobRuns
  connections: Connections
}

type JobTask = {
  attempt: TaskAttempt
  work(signal: AbortSignal): Promise<void>
  /** Called once no retry can help. */
  fail(error: unknown, signal: AbortSignal): Promise<void>
  /** Set if `taken_over` means that another task continues the work of this one. */
  mayBeTakenOver?: boolean
}

/** `left` if the job was stopped or another task continues. Throws if the queue has to retry the task. */
export async function runJobTask(db: Database, job: JobRow, task: JobTask): Promise<'done' | 'left'> {
  const watch = watchJob(db, job.id, task.attempt.signal)
  try {
    await task.work(watch.signal)
  } catch (error) {
    if (watch.isStopped() || hasCode(error, 'cancelled')) return 'left'
    if (task.mayBeTakenOver && hasCode(error, 'taken_over')) return 'left'
    if (canRetry(error, task.attempt)) throw error
    task.attempt.giveUp?.()
    await task.fail(error, watch.signal)
  } finally {
    watch.end()
  }
  return 'done'
}

export async function readActiveJob(db: Database, jobId: string): Promise<JobRow | undefined> {
  const job = await readJob(db, jobId)
  return job && ACTIVE_STATUSES.includes(job.status) ? job : undefined
}

/** Sends `finish` once the listing has ended and no document is left. */
export async function finishIfDone({ resources, engine }: TaskContext, jobId: string): Promise<void> {
  if (await isReadyToFinish(resources.db, jobId)) await engine.send('finish', { jobId })
}

function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof AppError && error.code === code
}

/** An aborted task goes to another worker. Connectors retry by themselves, so their errors get two more tries. */
function canRetry(error: unknown, { tries, lastTry, signal }: TaskAttempt): boolean {
  if (signal.aborted) return true
  if (lastTry) return false
  return error instanceof AppError ? error.retryable && tries < 3 : true
}

type Watch = { jobId: string; controller: AbortController }
const watches = new Map<Database, Set<Watch>>()

/** Aborts the work within a second after the job is stopped. All tasks of a process share one query. */
function watchJob(db: Database, jobId: string, taskSignal: AbortSignal) {
  const watch = { jobId, controller: new AbortController() }
  const shared = watches.get(db) ?? startWatching(db)
  shared.add(watch)
  return {
    signal: AbortSignal.any([taskSignal, watch.controller.signal]),
    isStopped: () => watch.controller.signal.aborted,
    end: () => shared.delete(watch),
  }
}

function startWatching(db: Database): Set<Watch> {
  const shared = new Set<Watch>()
  watches.set(db, shared)
  const timer = setInterval(async () => {
    if (shared.size === 0) {
      clearInterval(timer)
      watches.delete(db)
      return
    }
    const all = [...shared]
    const active = await whichActive(db, [...new Set(all.map(({ jobId }) => jobId))]).catch(() => null)
    for (const { jobId, controller } of active ? all : [])
      if (!active?.has(jobId)) controller.abort(cancelled(jobId))
  }, 1000)
  timer.unref()
  return shared
}
