import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { searchedLedger } from '../ledger/ledgers.ts'

/** How far a job has listed a scope; `position` is null before the first document. */
export type JobScope = {
  scope: string
  position: string | null
  asOf: Date
  outdated: boolean
  ended: boolean
  upTo: string | null
}

export async function listJobScopes(db: Database, jobId: string): Promise<JobScope[]> {
  return db
    .selectFrom('job_scopes')
    .select(['scope', 'position', 'as_of as asOf', 'outdated', 'ended', 'up_to as upTo'])
    .where('job_id', '=', jobId)
    .execute()
}

/** `after` and `to` are the positions before and after the step. */
type ListingStep = {
  scope: string
  after: string | null
  to: string | null
  asOf: Date
  unchanged: number
  outdated: boolean
  end?: { upTo: string | null }
}

/** Call `holdActive` first. False if another task lists the scope. */
export async function advanceScope(
  db: Database,
  jobId: string,
  { scope, after, to, asOf, unchanged, outdated, end }: ListingStep,
): Promise<boolean> {
  const { rows } = await sql`
    insert into job_scopes as s (job_id, scope, position, as_of, unchanged, outdated, ended, up_to)
    values (${jobId}::uuid, ${scope}, ${to}, ${asOf}, ${unchanged}, ${outdated}, ${end !== undefined}, ${end?.upTo ?? null})
    on conflict (job_id, scope) do update set position = coalesce(excluded.position, s.position),
      as_of = least(s.as_of, excluded.as_of), unchanged = s.unchanged + excluded.unchanged,
      outdated = s.outdated or excluded.outdated, ended = excluded.ended, up_to = excluded.up_to
    where s.position is not distinct from ${after}::text and not s.ended
    returning s.scope
  `.execute(db)
  return rows.length > 0
}

/** Records documents that the listing of their scope did not show. */
export async function addUnlisted(db: Database, jobId: string, recordIds: string[]): Promise<void> {
  if (recordIds.length === 0) return
  await sql`
    insert into unlisted_documents (job_id, record_id) select ${jobId}::uuid, unnest(${recordIds}::text[])
    on conflict do nothing
  `.execute(db)
}

/** The listing shows these documents; `moved` are in another place than before. */
export async function removeUnlisted(
  db: Database,
  jobId: string,
  { listed, moved }: { listed: string[]; moved: string[] },
): Promise<void> {
  await uncountMoved(db, jobId, moved)
  if (listed.length === 0) return
  await sql`
    delete from unlisted_documents where job_id = ${jobId}::uuid and record_id = any(${listed}::text[])
  `.execute(db)
}

/** A document that was counted as unchanged in its old place is counted in the new one instead. */
async function uncountMoved(db: Database, jobId: string, recordIds: string[]): Promise<void> {
  if (recordIds.length === 0) return
  await sql`
    with moved as (
      select d.record_id, s.scope from jobs join workflows as f on f.id = jobs.workflow_id
      join documents as d on d.ledger_id = f.ledger_id and d.record_id = any(${recordIds}::text[])
      join job_scopes as s on s.job_id = jobs.id and s.scope = d.scope
      where jobs.id = ${jobId}::uuid and (s.ended or s.position >= d.position)
        and not exists (select from unlisted_documents as u where u.job_id = jobs.id and u.record_id = d.record_id)
        and not exists (select from job_documents as j where j.job_id = jobs.id and j.record_id = d.record_id)
    )
    update job_scopes as s set unchanged = greatest(0, s.unchanged - m.documents)
    from (select scope, count(*) as documents from moved group by scope) as m
    where s.job_id = ${jobId}::uuid and s.scope = m.scope
  `.execute(db)
}

/**
 * After the listing: documents that no listing has shown, and if it is complete, those of scopes that it did not show.
 */
export async function addUnlistedScopes(
  db: Database,
  { jobId, workflowId, complete }: { jobId: string; workflowId: string; complete: boolean },
): Promise<void> {
  await sql`
    insert into unlisted_documents (job_id, record_id)
    select ${jobId}::uuid, d.record_id from documents as d
    left join wanted_documents as w on w.workflow_id = ${workflowId}::uuid and w.record_id = d.record_id
    where d.ledger_id = ${searchedLedger(workflowId)} and (w.record_id is null or (
      (d.scope not in (select scope from job_scopes where job_id = ${jobId}::uuid and ended)
        or w.scope not in (select scope from job_scopes where job_id = ${jobId}::uuid and ended))
      and ${complete}::boolean))
    on conflict do nothing
  `.execute(db)
}
