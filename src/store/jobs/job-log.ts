import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { JobDocumentRow } from './job-documents.ts'

/** Documents that one read brings. */
export const LOG_PAGE = 1000

export const LINE_LEVELS = ['info', 'warning', 'error'] as const
export type LineLevel = (typeof LINE_LEVELS)[number]

/** `level` is the lowest one; `text` occurs in the line, in any case. */
type LogFilter = { level: LineLevel; text: string | undefined }

export function levelOf({ state, warnings }: Pick<JobDocumentRow, 'state' | 'warnings'>): LineLevel {
  if (state === 'failed') return 'error'
  return state === 'skipped' || (warnings && warnings.length > 0) ? 'warning' : 'info'
}

/** The next documents of a job, without unchanged ones. */
export function loggedDocuments(
  db: Database,
  jobId: string,
  { after, ...filter }: LogFilter & { after: string },
): Promise<JobDocumentRow[]> {
  return logged(db, jobId, filter)
    .where('record_id', '>', after)
    .orderBy('record_id')
    .limit(LOG_PAGE)
    .execute()
}

/** The documents that ended last, in the order of time. */
export async function latestDocuments(
  db: Database,
  jobId: string,
  { count, ...filter }: LogFilter & { count: number },
): Promise<JobDocumentRow[]> {
  const rows = await logged(db, jobId, filter)
    .orderBy('updated_at', 'desc')
    .orderBy('record_id', 'desc')
    .limit(count)
    .execute()
  return rows.reverse()
}

function logged(db: Database, jobId: string, { level, text }: LogFilter) {
  return db
    .selectFrom('job_documents')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('state', '!=', 'unchanged')
    .$if(level === 'error', (query) => query.where('state', '=', 'failed'))
    .$if(level === 'warning', (query) =>
      query.where(
        sql<boolean>`(state in ('failed', 'skipped') or jsonb_array_length(coalesce(warnings, '[]')) > 0)`,
      ),
    )
    .$if(Boolean(text), (query) =>
      query.where(
        sql<boolean>`strpos(lower(concat_ws(' ', record_id, title, state, error_code, error_message, warnings::text)),
          lower(${text}::text)) > 0`,
      ),
    )
}
