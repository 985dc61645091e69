import { AppError, explain } from '../errors.ts'
import { missingWarning, saysIncomplete, type Warning } from '../report.ts'
import type { Database } from '../store/database.ts'
import { countStates, endUnfinished } from '../store/jobs/job-documents.ts'
import { endJob, type JobRow, readJob } from '../store/jobs/jobs.ts'
import { countMissing } from '../store/jobs/missing.ts'
import type { Resources } from './resources.ts'

/** The run did what it could: whatever it has to say stands in one line for people. */
export async function completeJob(db: Database, job: JobRow): Promise<boolean> {
  const { now, counts, troubled } = await troublesOf(db, job)
  const missing = await missingIn(db, job.id)
  return endJob(db, job.id, {
    status: 'COMPLETED',
    processingStatus: troubled ? 'COMPLETED_WITH_ERRORS' : 'SUCCESS',
    message: messageOf([...now.warnings, ...missing], counts.failed),
    warnings: missing,
  })
}

/** Whether anything of the wiki is not in the index, or is not as it should be. */
export async function troublesOf(db: Database, job: JobRow) {
  const now = (await readJob(db, job.id)) ?? job
  const counts = await countStates(db, job.id)
  // A run of some documents alone is never complete; what kept it from seeing them is said in a warning.
  const whole = now.complete || now.settings.retry_of !== undefined || now.settings.repair === true
  const isAsMeant = now.swap !== 'discarded' && now.held_back === 0
  const troubled = counts.failed > 0 || !isAsMeant || !whole || saysIncomplete(now.warnings)
  return { now, counts, troubled }
}

/** An error that every document would meet ends the run; what was not reached is said to have failed with it. */
export async function failJob({ db, log }: Resources, jobId: string, error: unknown): Promise<void> {
  const said = explain(error)
  const ended = await endJob(db, jobId, {
    status: 'FAILED',
    processingStatus: 'FAILED',
    message: said.message,
    warnings: await missingIn(db, jobId),
  })
  if (!ended) return
  const unreached = { code: said.code, message: `not reached: ${said.message}` }
  await endUnfinished(db, { jobId }, { state: 'failed', ...unreached })
  log.warn({ job_id: jobId, ...said }, 'job failed')
}

export async function stopJob(db: Database, jobId: string): Promise<boolean> {
  const ended = await endJob(db, jobId, {
    status: 'STOPPED',
    processingStatus: 'STOPPED',
    message: 'Stopped by request.',
    warnings: await missingIn(db, jobId),
  })
  if (ended)
    await endUnfinished(
      db,
      { jobId },
      { state: 'skipped', code: 'cancelled', message: 'the job was stopped first' },
    )
  return ended
}

export function cancelled(jobId: string): AppError {
  return new AppError('cancelled', `the job ${jobId} was stopped`)
}

/** Counted from the documents when all is done: slices that were done twice are in it once. */
async function missingIn(db: Database, jobId: string): Promise<Warning[]> {
  return (await countMissing(db, jobId)).map(missingWarning)
}

function messageOf(warnings: Warning[], failed: number): string | null {
  const parts = warnings.map((warning) => warning.message)
  if (failed > 0)
    parts.unshift(`${failed} ${failed === 1 ? 'document' : 'documents'} failed, see failed-files`)
  return parts.length > 0 ? `${parts.join('. ')}.`.replaceAll('..', '.') : null
}
