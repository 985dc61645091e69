import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { DocumentState } from '../schema.ts'

export type DocumentRun = {
  job_id: string
  at: Date
  state: DocumentState
  error_code: string | null
  error_message: string | null
  elements: number | null
  /** The listed one, or the one that the job wrote. */
  version: string | null
}

const MAX_RUNS = 100

/** What each job did with one document, newest first. */
export async function documentHistory(
  db: Database,
  workflow: { id: string; workspaceId: string },
  recordId: string,
): Promise<DocumentRun[]> {
  const { rows } = await sql<DocumentRun>`
    select d.job_id, d.updated_at as at, d.state, d.error_code, d.error_message, d.elements, coalesce(d.ref->>'version', (
      select v.version from document_versions as v
      where v.workflow_id = jobs.workflow_id and v.record_id = d.record_id and v.job_id = jobs.id
      order by v.id desc limit 1)) as version
    from jobs join job_documents as d on d.job_id = jobs.id and d.record_id = ${recordId}
    where jobs.workspace_id = ${workflow.workspaceId}::uuid and jobs.workflow_id = ${workflow.id}::uuid
    order by jobs.created_at desc limit ${MAX_RUNS}
  `.execute(db)
  return rows
}
