import { sql } from 'kysely'
import type { Database } from './database.ts'

/** What could not be taken along with the documents of a run, by what it was, with one of its messages. */
export type Missing = { code: string; count: number; documents: number; message: string }

export async function countMissing(db: Database, jobId: string): Promise<Missing[]> {
  const { rows } = await sql<Record<keyof Missing, string>>`
    select w.code, sum(w.count) as count, count(distinct j.record_id) as documents,
           (array_agg(w.message order by j.record_id))[1] as message
    from job_documents as j, jsonb_to_recordset(j.warnings) as w(code text, count integer, message text)
    where j.job_id = ${jobId}::uuid
    group by w.code order by w.code
  `.execute(db)
  return rows.map(({ code, count, documents, message }) => ({
    code,
    count: Number(count),
    documents: Number(documents),
    message,
  }))
}
