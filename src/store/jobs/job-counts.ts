import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { type StateCounts, ZERO_COUNTS } from './job-documents.ts'
import type { JobRow } from './jobs.ts'

/**
 * Document counts by job id. Jobs that ended a while ago have stored counts; the few others are counted in one
 * statement.
 */
export async function countsOf(
  db: Database,
  jobs: Pick<JobRow, 'id' | 'counts'>[],
): Promise<Map<string, StateCounts>> {
  const counts = new Map(jobs.map(({ id, counts: kept }) => [id, { ...ZERO_COUNTS, ...kept }]))
  const uncounted = jobs.filter(({ counts: kept }) => !kept).map(({ id }) => id)
  if (uncounted.length === 0) return counts
  const { rows } = await sql<{ job_id: string; states: Partial<StateCounts> }>`
    select job_id, jsonb_object_agg(state, documents) as states
    from (
      select job_id, state, count(*) as documents from job_documents
      where job_id = any(${uncounted}::uuid[]) group by job_id, state
    ) as by_state group by job_id
  `.execute(db)
  for (const { job_id: id, states } of rows) counts.set(id, { ...ZERO_COUNTS, ...states })
  return counts
}

/** A task may still record outcomes minutes after its job stopped. */
const SETTLED_AFTER = '5 minutes'
const BATCH = 100

/** Stored counts save counting the documents again. */
export async function storeCounts(db: Database): Promise<void> {
  await sql`
    update jobs set counts = coalesce((
      select jsonb_object_agg(state, documents) from (
        select state, count(*) as documents from job_documents where job_id = jobs.id group by state
      ) as by_state
    ), '{}'::jsonb)
    where id in (
      select id from jobs where counts is null and finished_at < now() - ${SETTLED_AFTER}::interval
      order by finished_at limit ${BATCH} for update skip locked
    )
  `.execute(db)
}
