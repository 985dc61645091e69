import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** The documents of a run are kept while it is among the last ones of its workflow, and for a month in any case. */
const KEPT_RUNS = 20
const KEPT_FOR = '30 days'

// A statement of a few hundred milliseconds, and at most a few seconds at a time: runs that go on share the database.
const ROWS_AT_ONCE = 5_000
const BATCHES = 10

/**
 * Forgets what became of each document in runs that are long past. The runs stay, with their numbers; the ledger,
 * which says what is in the index, is another table. Several workers may do it at the same time. A run says that its
 * documents are not kept before the first of them goes, so that none ever speaks for a part as if it were all.
 */
export async function pruneOldRuns(db: Database): Promise<void> {
  let batches = BATCHES
  for (const id of await oldRuns(db)) {
    await markForgotten(db, id)
    while (true) {
      if (batches-- === 0) return
      if ((await removeSome(db, id)) < ROWS_AT_ONCE) break
    }
  }
}

/**
 * Those whose numbers are written down, so that forgetting their documents loses nothing of them; first those that
 * somebody began to forget and did not end.
 */
async function oldRuns(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, finished_at, counts, documents_kept,
             row_number() over (partition by workflow_id order by created_at desc) as place
      from jobs
    ) as runs
    where place > ${KEPT_RUNS} and finished_at < now() - ${KEPT_FOR}::interval and counts is not null
      and not exists (select from jobs as retry where retry.status in ('SCHEDULED', 'IN_PROGRESS')
                      and retry.settings->>'retry_of' = runs.id::text)
      and (documents_kept or exists (select from job_documents where job_id = runs.id))
    order by documents_kept, finished_at limit 100
  `.execute(db)
  return rows.map(({ id }) => id)
}

async function markForgotten(db: Database, jobId: string): Promise<void> {
  await sql`update jobs set documents_kept = false where id = ${jobId}::uuid and documents_kept`.execute(db)
}

async function removeSome(db: Database, jobId: string): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from job_documents where job_id = ${jobId}::uuid and record_id in (
      select record_id from job_documents where job_id = ${jobId}::uuid limit ${ROWS_AT_ONCE} for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
