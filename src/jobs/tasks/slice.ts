import { AppError, explain } from '../../errors.ts'
import { FRESH_MS } from '../../ingest/relist-limits.ts'
import { workSlice } from '../../ingest/slice.ts'
import type { DocumentTask, SliceContext, Stage } from '../../ingest/slice-context.ts'
import {
  type Finished,
  finishDocuments,
  needsWork,
  type TakenSlice,
  takeSlice,
} from '../../store/jobs/job-documents.ts'
import { isActive, type JobRow } from '../../store/jobs/jobs.ts'
import { nextFence } from '../../store/ledger/fences.ts'
import { databaseLedger } from '../database-ledger.ts'
import type { Handler, TaskAttempt } from '../engine.ts'
import { failRun, giveUpDocuments } from '../give-up-documents.ts'
import { cancelled } from '../job-outcome.ts'
import type { JobRun } from '../job-run.ts'
import { finishIfDone, readActiveJob, runJobTask, type TaskContext } from './job-task.ts'

type Slice = { context: TaskContext; slice: number }

export function sliceTask(context: TaskContext): Handler<'slice'> {
  const { db } = context.resources
  return async ({ jobId, slice }, attempt) => {
    const job = await readActiveJob(db, jobId)
    if (!job) return
    const ended = await runJobTask(db, job, {
      attempt,
      work: (signal) => processSlice(job, { context, slice, attempt }, signal),
      fail: (error, signal) => failSlice(job, { context, slice, error }, signal),
      mayBeSuperseded: true,
    })
    if (ended === 'done') await finishIfDone(context, jobId)
  }
}

async function processSlice(
  job: JobRow,
  { context: { resources, runs }, slice, attempt }: Slice & { attempt: TaskAttempt },
  signal: AbortSignal,
): Promise<void> {
  const { db, log } = resources
  const jobId = job.id
  const fence = await nextFence(db)
  const report = (outcomes: Finished[]) => finishDocuments(db, { jobId, fence }, outcomes)
  const taken = await takeSlice(db, { jobId, slice }, fence)
  // A retried slice is listed again, since it may have waited long.
  const tasks = taken
    .filter((document) => attempt.tries === 1 && isFresh(document.seenAt))
    .filter(isTask)
    .map((document) => ({ ...document, until: new Date(document.seenAt.getTime() + FRESH_MS) }))
  const rest = taken.filter((document) => !tasks.some(({ ref }) => ref === document.ref))
  await report(rest.map(({ ref }) => ({ recordId: ref.recordId, state: 'again' })))

  const spent: Record<Stage, number> = { read: 0, work: 0, embed: 0, write: 0 }
  const contextOf = (run: JobRun): SliceContext => ({
    ...run,
    ledger: databaseLedger(db, { ...run.ledger, fence }),
    beforeWrite: async () => {
      if (!(await isActive(db, jobId))) throw cancelled(jobId)
      signal.throwIfAborted()
    },
    report,
    measure: (stage, ms) => {
      spent[stage] += ms
    },
  })
  await runs.with(job, (run) => workSlice(tasks, contextOf(run), signal), signal)
  log.debug({ job_id: jobId, slice, documents: tasks.length, spent }, 'slice done')
}

async function failSlice(
  job: JobRow,
  { context, slice, error }: Slice & { error: unknown },
  signal: AbortSignal,
): Promise<void> {
  const { resources, runs } = context
  resources.log.error({ job_id: job.id, slice, err: error }, 'a slice failed')
  if (error instanceof AppError && error.endsJob) return failRun(job, { ...context, error }, signal)
  const given = { resources, slice, error: explain(error) }
  await runs.with(job, (run) => giveUpDocuments(job, { ...given, run }, signal), signal)
}

function isFresh(seenAt: Date): boolean {
  return Date.now() - seenAt.getTime() < FRESH_MS
}

function isTask(document: TakenSlice): document is TakenSlice & DocumentTask {
  return needsWork(document.kind)
}
