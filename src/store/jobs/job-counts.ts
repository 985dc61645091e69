import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { type StateCounts, ZERO_COUNTS } from './job-documents.ts'

/** Document counts by job id. Triggers keep them, so no documents are counted. */
export async function countsOf(db: Database, jobIds: string[]): Promise<Map<string, StateCounts>> {
  const counts = new Map(jobIds.map((id) => [id, { ...ZERO_COUNTS }]))
  if (jobIds.length === 0) return counts
  const { rows } = await sql<{ job_id: string; states: Record<string, number> }>`
    select job_id, jsonb_object_agg(state, documents) as states from (${statesOf(sql`any(${jobIds}::uuid[])`)}) as counted
    group by job_id
  `.execute(db)
  for (const { job_id: id, states } of rows) counts.set(id, { ...ZERO_COUNTS, ...states })
  return counts
}

export async function countStates(db: Database, jobId: string): Promise<StateCounts> {
  return (await countsOf(db, [jobId])).get(jobId) ?? ZERO_COUNTS
}

/** Deferred documents count as pending; unchanged ones are counted by scope. */
export function statesOf(jobIds: ReturnType<typeof sql>) {
  return sql`
    select job_id, state, sum(documents) as documents, sum(processed) as processed, sum(elements) as elements from (
      select job_id, case state when 'deferred' then 'pending' else state end as state, documents, processed, elements
      from job_counts where job_id = ${jobIds}
      union all
      select job_id, 'unchanged', unchanged, 0, 0 from job_scopes where job_id = ${jobIds}
    ) as each group by job_id, state
  `
}

/** For jobs that record no documents. */
export async function storeJobCount(
  db: Database,
  jobId: string,
  { state, documents }: { state: keyof StateCounts; documents: number },
): Promise<void> {
  await sql`
    insert into job_counts (job_id, state, documents) values (${jobId}::uuid, ${state}, ${documents})
    on conflict (job_id, state) do update set documents = excluded.documents
  `.execute(db)
}
