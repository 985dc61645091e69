import { refOfFile } from '../ingest/one-file.ts'
import type { Database } from '../store/database.ts'
import { recordSeen } from '../store/jobs/job-documents.ts'
import { insertJob, type JobRow, markListed, type NewJob, readJob } from '../store/jobs/jobs.ts'
import { insertUploads, type Upload } from '../store/jobs/uploads.ts'

/** A job of uploaded files has one slice. */
export const UPLOAD_SLICE = 0

/** A job of uploaded files has neither source nor destination. */
export function isUploadJob({ settings }: JobRow): boolean {
  return settings.source_id === null
}

/** Inserts job, files and documents in one transaction. */
export async function insertUploadJob(
  db: Database,
  job: NewJob,
  uploads: Upload[],
): Promise<{ inserted: JobRow } | { active: string }> {
  return db.transaction().execute(async (transaction) => {
    const outcome = await insertJob(transaction, job)
    if ('active' in outcome) return outcome
    await insertUploads(transaction, job.id, uploads)
    const seen = uploads.map(({ id, filename }) => {
      return { ref: { ...refOfFile(filename), recordId: id }, kind: 'new' as const, slice: UPLOAD_SLICE }
    })
    await recordSeen(transaction, { jobId: job.id, asOf: new Date() }, seen)
    await markListed(transaction, job.id, true)
    return { inserted: (await readJob(transaction, job.id)) ?? outcome.inserted }
  })
}
