import { AppError, explain } from '../../errors.ts'
import { processSlice } from '../../ingest/slice.ts'
import type { DocumentTask } from '../../ingest/slice-context.ts'
import { type MeasuredStage, stageDurations } from '../../process-metrics.ts'
import type { Database } from '../../store/database.ts'
import {
  type ClaimedDocument,
  claimDocuments,
  countSuspects,
  type Deaths,
  type FinishedDocument,
  finishDocuments,
  needsWork,
  recordDeath,
  releaseClaimed,
  releaseTask,
} from '../../store/jobs/job-documents.ts'
import { recordStages } from '../../store/jobs/job-stages.ts'
import { addStepTimes, type JobRow } from '../../store/jobs/jobs.ts'
import { failJob } from '../job-outcome.ts'
import type { JobRun } from '../job-run.ts'
import { sendContentTasks } from '../queue/content-tasks.ts'
import type { Handler, TaskAttempt, TaskQueue } from '../queue/engine.ts'
import { giveUpDocuments } from '../queue/give-up-documents.ts'
import { relistDocuments, sliceContext } from '../slice-context.ts'
import { createStageRecorder } from '../stage-recorder.ts'
import { finishIfDone, readActiveJob, runJobTask, type TaskContext } from './job-task.ts'
import { DEATHS_ALONE, GROUP, runSuspect, stoppedWorker } from './suspects.ts'

/** Then the unread documents return to the queue, so that a slow source does not keep its place. */
const SLICE_MS = 60_000

export type TimedContext = TaskContext & { sliceMs?: number }
type ContentTask = { context: TimedContext; attempt: TaskAttempt }

/** Claims some documents of a job and brings the index to their wanted state. */
export function contentTask(context: TimedContext): Handler<'content'> {
  const { db } = context.resources
  return async ({ jobId, claims, alone = false }, attempt) => {
    const job = await readActiveJob(db, jobId)
    if (!job) return
    const slice = { context, attempt, claims, deaths: 'none' } as const
    const ended = await runJobTask(db, job, {
      attempt,
      work: (signal) => {
        if (attempt.afterDeath) return continueApart(job, slice, signal)
        return alone ? workApart(job, slice, signal) : work(job, slice, signal)
      },
      fail: async (error, signal) => {
        await giveUp(job, { context, attempt, error }, signal)
        if (alone) await sendSuspectTask(context, jobId)
      },
      mayBeTakenOver: true,
    })
    if (ended === 'done') await finishIfDone(context, jobId)
  }
}

/** Of the deaths that set a document aside, the first found it among others, and the second in a group. */
const MAX_DEATHS = 2 + DEATHS_ALONE

/** The documents that the dead process was processing are processed apart, unless they are set aside. */
async function continueApart(
  job: JobRow,
  { context, attempt }: ContentTask,
  signal: AbortSignal,
): Promise<void> {
  const { resources, engine } = context
  const { setAside } = await resources.db.transaction().execute(async (transaction) => {
    const died = { jobId: job.id, task: attempt.id, maxDeaths: MAX_DEATHS }
    const recorded = await recordDeath(transaction, died)
    const { once, often } = await countSuspects(transaction, job.id)
    await sendContentTasks(transaction, { engine, jobId: job.id, documents: 0, suspects: once + often })
    return recorded
  })
  if (setAside > 0) await giveUp(job, { context, attempt, error: stoppedWorker() }, signal)
}

type ContentSlice = ContentTask & { claims: number; deaths: Deaths }

const GROUPED = { claims: GROUP, deaths: 'once' } as const
const ALONE = { claims: 1, deaths: 'often' } as const

/** The jobs whose suspects this process works on; true if more came meanwhile. */
const apart = new Map<string, boolean>()

/** A second task of the job leaves its documents to the first. */
async function workApart(job: JobRow, slice: ContentSlice, signal: AbortSignal): Promise<void> {
  const { attempt, context } = slice
  if (attempt.tries > 1) await releaseTask(context.resources.db, { jobId: job.id, task: attempt.id })
  if (apart.has(job.id)) {
    apart.set(job.id, true)
    return
  }
  try {
    do {
      apart.set(job.id, false)
      await workOnSuspects(job, slice, signal)
    } while (apart.get(job.id))
  } finally {
    const isMore = apart.get(job.id)
    apart.delete(job.id)
    // After an error: the second task has ended.
    if (isMore) await sendSuspectTask(context, job.id)
  }
}

async function sendSuspectTask({ resources: { db }, engine }: TaskContext, jobId: string): Promise<void> {
  const { once, often } = await countSuspects(db, jobId)
  await sendContentTasks(db, { engine, jobId, documents: 0, suspects: once + often })
}

/** In groups after the first death, then one by one. When the time is over, the next task continues. */
async function workOnSuspects(job: JobRow, slice: ContentSlice, signal: AbortSignal): Promise<void> {
  const { resources, sliceMs = SLICE_MS } = slice.context
  const endsAt = performance.now() + sliceMs
  for (;;) {
    const { once, often } = await countSuspects(resources.db, job.id)
    if (once + often === 0) return
    if (performance.now() >= endsAt) return sendSuspectTask(slice.context, job.id)
    const part = once > 0 ? GROUPED : ALONE
    await runSuspect(() => work(job, { ...slice, ...part }, signal), signal)
  }
}

async function work(
  job: JobRow,
  { context: task, attempt, claims, deaths }: ContentSlice,
  signal: AbortSignal,
): Promise<void> {
  const { resources, engine, runs, sliceMs = SLICE_MS } = task
  const { db } = resources
  const jobId = job.id
  const claim = { jobId, task: attempt.id, limit: claims, deaths }
  const { fence, documents: claimed } = await claimDocuments(db, claim)
  if (claimed.length === 0) return
  const stages = createStageRecorder({ write: (reached) => recordStages(db, { jobId, fence }, reached) })
  const report = (outcomes: FinishedDocument[]) => {
    const recordIds = outcomes.map(({ recordId }) => recordId)
    return stages.finish(recordIds, () => finishDocuments(db, { jobId, fence }, outcomes))
  }
  const spent: Partial<Record<MeasuredStage, number>> = {}
  const measure = (stage: MeasuredStage, ms: number) => {
    spent[stage] = (spent[stage] ?? 0) + ms
    stageDurations.observe({ stage }, ms / 1000)
  }
  const processed = runs.with(
    job,
    async (run) => {
      const listed = claimed.filter(isTask)
      // After a death or an error they may have waited long while no one read the permissions. A source that cannot look
      // them up would list everything again for each group.
      const isLate = attempt.tries > 1 || (deaths !== 'none' && run.source.relist !== undefined)
      const tasks = isLate ? await relisted(listed, { job, db, run }, signal) : listed
      const rest = claimed.filter(({ ref }) => !tasks.some((task) => task.ref.recordId === ref.recordId))
      await report(rest.map(({ ref }) => ({ recordId: ref.recordId, state: 'relist' })))
      const context = {
        ...sliceContext(job, { db, run, fence, report }, signal),
        measure,
        reach: stages.reach,
        endsAt: performance.now() + sliceMs,
      }
      const unread = await processSlice(tasks, context, signal).finally(stages.close)
      await giveBack(unread, { db, engine, jobId, fence, deaths })
    },
    signal,
  )
  await processed.finally(() => addStepTimes(db, jobId, spent))
}

type Returned = { db: Database; engine: TaskQueue; jobId: string; fence: number; deaths: Deaths }

/** Uses up no retry: a new task claims them. */
async function giveBack(
  unread: DocumentTask[],
  { db, engine, jobId, fence, deaths }: Returned,
): Promise<void> {
  if (unread.length === 0) return
  const recordIds = unread.map(({ ref }) => ref.recordId)
  await db.transaction().execute(async (transaction) => {
    const released = await releaseClaimed(transaction, { jobId, fence }, recordIds)
    const waiting = deaths === 'none' ? { documents: released } : { documents: 0, suspects: released }
    await sendContentTasks(transaction, { engine, jobId, ...waiting })
  })
}

async function giveUp(
  job: JobRow,
  { context, attempt, error }: ContentTask & { error: unknown },
  signal: AbortSignal,
): Promise<void> {
  const { resources, runs } = context
  resources.log.error({ job_id: job.id, err: error }, 'a content task failed')
  if (error instanceof AppError && error.endsJob) return failJob(resources, job.id, error)
  const options = { resources, task: attempt.id, error: explain(error) }
  await runs.with(job, (run) => giveUpDocuments(job, { ...options, run }, signal), signal)
}

/** The tasks with their current refs; documents that only a listing can find are left out. */
async function relisted(
  tasks: DocumentTask[],
  { job, db, run }: { job: JobRow; db: Database; run: JobRun },
  signal: AbortSignal,
): Promise<DocumentTask[]> {
  if (!run.source.relist || tasks.length === 0) return []
  const refs = tasks.map(({ ref }) => ref)
  const current = await relistDocuments(refs, { db, job, source: run.source }, signal)
  return tasks.flatMap((task) => {
    const ref = current.get(task.ref.recordId)
    if (!ref) return []
    const hasChanged = task.kind === 'permissions_only' && ref.version !== task.ref.version
    return { ref, kind: hasChanged ? 'changed' : task.kind }
  })
}

function isTask(document: ClaimedDocument): document is ClaimedDocument & DocumentTask {
  return needsWork(document.kind)
}
