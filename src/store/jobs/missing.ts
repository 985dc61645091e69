import { sql } from 'kysely'
import type { MissingParts } from '../../report.ts'
import type { Database } from '../database.ts'

/** Counts document warnings of a job by code, with one message each. */
export async function countMissing(db: Database, jobId: string): Promise<MissingParts[]> {
  const { rows } = await sql<{ code: string; count: number; documents: number; message: string }>`
    select w.code, sum(w.count)::double precision as count, count(distinct j.record_id)::int as documents,
           (array_agg(w.message order by j.record_id))[1] as message
    from job_documents as j, jsonb_to_recordset(j.warnings) as w(code text, count integer, message text)
    where j.job_id = ${jobId}::uuid
    group by w.code order by w.code
  `.execute(db)
  const names = await countNames(db, jobId)
  return rows.map((row) => {
    const named = names.get(row.code)
    return named ? { ...row, names: named } : row
  })
}

/** Authors choose macro names, so their number is unbounded. */
const MAX_NAMES = 1_000

/** Documents per name, for warnings with names. */
async function countNames(db: Database, jobId: string) {
  const { rows } = await sql<{ code: string; names: { name: string; documents: number }[] }>`
    with named as (
      select w.code, n.name, count(distinct j.record_id) as documents
      from job_documents as j, jsonb_to_recordset(j.warnings) as w(code text, names jsonb),
           jsonb_array_elements_text(w.names) as n(name)
      where j.job_id = ${jobId}::uuid and jsonb_typeof(w.names) = 'array'
      group by w.code, n.name order by documents desc, n.name limit ${MAX_NAMES}::integer
    )
    select code, json_agg(json_build_object('name', name, 'documents', documents) order by documents desc, name) as names
    from named group by code
  `.execute(db)
  return new Map(rows.map(({ code, names }) => [code, names]))
}
