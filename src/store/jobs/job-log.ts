import type { Database } from '../database.ts'
import type { JobDocumentRow } from './job-documents.ts'

const PAGE = 1000

/** Documents of a job in pages, without unchanged ones. */
export async function* loggedDocuments(db: Database, jobId: string): AsyncIterable<JobDocumentRow[]> {
  let after = ''
  while (true) {
    const rows = await db
      .selectFrom('job_documents')
      .selectAll()
      .where('job_id', '=', jobId)
      .where('state', '!=', 'unchanged')
      .where('record_id', '>', after)
      .orderBy('record_id')
      .limit(PAGE)
      .execute()
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
    after = rows.at(-1)?.record_id ?? after
  }
}
