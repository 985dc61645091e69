import { createLimiter, type Limiter } from '../concurrency.ts'
import { refForFile } from '../ingest/one-file.ts'
import type { Database } from '../store/database.ts'
import { recordListed } from '../store/jobs/job-documents.ts'
import { insertJob, type JobRow, markListed, type NewJob, readJob } from '../store/jobs/jobs.ts'
import { insertUploads, type NewUpload } from '../store/jobs/uploads.ts'
import type { TaskQueue } from './queue/engine.ts'
import { refuseOverQuota, type UploadQuotas } from './upload-quotas.ts'

/** A job of uploaded files has neither source nor destination. */
export function isUploadJob({ settings }: JobRow): boolean {
  return settings.source_id === null && settings.destination_id === null
}

export type UploadJobContext = { db: Database; engine: TaskQueue; quotas: UploadQuotas }

/** Inserts job, files and documents, and sends the task, in one transaction. */
export async function insertUploadJob(
  { db, engine, quotas }: UploadJobContext,
  job: NewJob,
  uploads: NewUpload[],
): Promise<{ inserted: JobRow } | { active: string }> {
  const { workspaceId } = job
  const bytes = uploads.reduce((sum, { size }) => sum + size, 0)
  const insert = async (transaction: Database) => {
    await refuseOverQuota(transaction, { workspaceId, bytes }, quotas)
    const outcome = await insertJob(transaction, job)
    if ('active' in outcome) return outcome
    await insertUploads(transaction, job.id, uploads)
    const documents = uploads.map(({ id, filename }) => {
      return { ref: { ...refForFile(filename), recordId: id }, kind: 'new' as const }
    })
    await recordListed(transaction, { jobId: job.id, asOf: new Date() }, documents)
    await markListed(transaction, outcome.inserted, true)
    await engine.send('files', { jobId: job.id, part: 0 }, transaction)
    return { inserted: (await readJob(transaction, job.id)) ?? outcome.inserted }
  }
  return inTurn(workspaceId, () => db.transaction().execute(insert))
}

/** Waiting for the lock of a workspace would occupy a database connection for each request. */
function inTurn<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
  const limiter = turns.get(workspaceId) ?? createLimiter(1)
  turns.set(workspaceId, limiter)
  return limiter(work)
}

const turns = new Map<string, Limiter>()
