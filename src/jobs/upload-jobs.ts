import { refForFile } from '../ingest/one-file.ts'
import type { Database } from '../store/database.ts'
import { recordListed } from '../store/jobs/job-documents.ts'
import { insertJob, type JobRow, markListed, type NewJob, readJob } from '../store/jobs/jobs.ts'
import { insertUploads, type NewUpload } from '../store/jobs/uploads.ts'
import type { TaskQueue } from './engine.ts'

/** A job of uploaded files has neither source nor destination. */
export function isUploadJob({ settings }: JobRow): boolean {
  return settings.source_id === null && settings.destination_id === null
}

/** Inserts job, files and documents, and sends the task, in one transaction. */
export async function insertUploadJob(
  { db, engine }: { db: Database; engine: TaskQueue },
  job: NewJob,
  uploads: NewUpload[],
): Promise<{ inserted: JobRow } | { active: string }> {
  return db.transaction().execute(async (transaction) => {
    const outcome = await insertJob(transaction, job)
    if ('active' in outcome) return outcome
    await insertUploads(transaction, job.id, uploads)
    const documents = uploads.map(({ id, filename }) => {
      return { ref: { ...refForFile(filename), recordId: id }, kind: 'new' as const }
    })
    await recordListed(transaction, { jobId: job.id, asOf: new Date() }, documents)
    await markListed(transaction, outcome.inserted, true)
    await engine.send('files', { jobId: job.id }, transaction)
    return { inserted: (await readJob(transaction, job.id)) ?? outcome.inserted }
  })
}
