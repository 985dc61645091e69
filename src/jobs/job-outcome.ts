import { AppError, explain } from '../errors.ts'
import { isListingIncomplete, LIMIT_ERRORS, limitWarning, missingWarning, type Warning } from '../report.ts'
import type { Database } from '../store/database.ts'
import { countStates } from '../store/jobs/job-counts.ts'
import { countErrors, endUnfinished } from '../store/jobs/job-documents.ts'
import { endJob, type JobRow, readJob } from '../store/jobs/jobs.ts'
import { countMissing } from '../store/jobs/missing.ts'
import { isPartial } from './job-run.ts'
import type { Resources } from './resources.ts'

/** Ends a job that completed; its warnings become one message. False if documents are left. */
export async function completeJob(db: Database, job: JobRow): Promise<boolean> {
  const { now, counts, hasErrors } = await readOutcome(db, job)
  const missing = await missingWarnings(db, job.id)
  return endJob(db, job.id, {
    status: 'COMPLETED',
    processingStatus: hasErrors ? 'COMPLETED_WITH_ERRORS' : 'SUCCESS',
    message: messageOf([...now.warnings, ...missing], counts.failed),
    warnings: missing,
    onlyIfDone: true,
  })
}

/** Whether a document is missing from the index, or not as it should be. */
export async function readOutcome(db: Database, job: JobRow) {
  const now = (await readJob(db, job.id)) ?? job
  const counts = await countStates(db, job.id)
  // A partial run never lists completely.
  const isComplete = now.complete || isPartial(now)
  const isIndexCurrent = now.swap !== 'discarded' && now.held_back === 0
  const hasErrors = counts.failed > 0 || !isIndexCurrent || !isComplete || isListingIncomplete(now.warnings)
  return { now, counts, hasErrors }
}

/** Fails a job and the documents that it did not reach. */
export async function failJob({ db, log }: Resources, jobId: string, error: unknown): Promise<void> {
  const reason = explain(error)
  const ended = await endJob(db, jobId, {
    status: 'FAILED',
    processingStatus: 'FAILED',
    message: reason.message,
    errorCode: reason.code,
    warnings: await missingWarnings(db, jobId),
  })
  if (!ended) return
  const unreached = { code: reason.code, message: `not reached: ${reason.message}` }
  await endUnfinished(db, { jobId }, { state: 'failed', ...unreached })
  log.warn({ job_id: jobId, ...reason }, 'job failed')
}

export async function stopJob(db: Database, jobId: string): Promise<boolean> {
  const ended = await endJob(db, jobId, {
    status: 'STOPPED',
    processingStatus: 'STOPPED',
    message: 'Stopped by request.',
    warnings: await missingWarnings(db, jobId),
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

/** Counted from the documents at the end, so that retried tasks count once. */
async function missingWarnings(db: Database, jobId: string): Promise<Warning[]> {
  const leftOut = await countErrors(db, jobId, LIMIT_ERRORS)
  return [
    ...leftOut.map(({ code, documents }) => limitWarning(code, documents)),
    ...(await countMissing(db, jobId)).map(missingWarning),
  ]
}

function messageOf(warnings: Warning[], failed: number): string | null {
  const parts = warnings.map((warning) => warning.message)
  if (failed > 0) parts.unshift(`${failed} ${failed === 1 ? 'document' : 'documents'} failed`)
  return parts.length > 0 ? `${parts.join('. ')}.`.replaceAll('..', '.') : null
}
