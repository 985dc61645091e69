import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { JobRow } from './jobs.ts'

export const CHANGES = ['new', 'changed', 'removed', 'failed'] as const
export type Change = (typeof CHANGES)[number]

export type ChangedDocument = {
  record_id: string
  title: string
  url: string
  change: Change
  permissions_only: boolean
  job_id: string
  error_code: string | null
  error_message: string | null
}

type ChangePage = { change?: Change | undefined; after?: string | undefined; limit: number }
type Between = { from: JobRow; to: JobRow }

/** Documents whose state after the later run differs from that after the earlier one. */
export async function listChangesBetween(
  db: Database,
  between: Between,
  { change, after, limit }: ChangePage,
): Promise<ChangedDocument[]> {
  const { rows } = await sql<ChangedDocument>`
    ${changes(between)}
    select * from changed
    where ${change ? sql`change = ${change}` : sql`true`} and ${after ? sql`record_id > ${after}` : sql`true`}
    order by record_id limit ${limit}
  `.execute(db)
  return rows
}

export async function countChangesBetween(db: Database, between: Between): Promise<Record<Change, number>> {
  const { rows } = await sql<{ change: Change; documents: number }>`
    ${changes(between)} select change, count(*)::int as documents from changed group by change
  `.execute(db)
  const counts = { new: 0, changed: 0, removed: 0, failed: 0 }
  for (const { change, documents } of rows) counts[change] = documents
  return counts
}

/** Whether all runs after the earlier one still have their documents. */
export async function documentsKept(db: Database, { from, to }: Between): Promise<boolean> {
  const { rows } = await sql<{ kept: boolean }>`
    select coalesce(bool_and(documents_kept), true) as kept from jobs where ${isBetween({ from, to })}
  `.execute(db)
  return rows[0]?.kept ?? false
}

/** By the times in the database, since a JavaScript date has no microseconds. */
function isBetween({ from, to }: Between) {
  const createdAt = ({ id }: JobRow) => sql`(select created_at from jobs as run where run.id = ${id}::uuid)`
  return sql`jobs.workspace_id = ${from.workspace_id}::uuid and jobs.workflow_id = ${from.workflow_id}::uuid
    and jobs.kind = 'content' and jobs.created_at > ${createdAt(from)} and jobs.created_at <= ${createdAt(to)}`
}

/** A document that came and went between the two runs has no change. */
function changes(between: Between) {
  return sql`
    with event as (
      select d.*, jobs.created_at as at from jobs join job_documents as d on d.job_id = jobs.id
      where ${isBetween(between)} and d.state in ('new', 'changed', 'permissions_only', 'removed', 'failed')
    ),
    first as (select distinct on (record_id) record_id, (state = 'new' or kind = 'new') as is_new from event order by record_id, at),
    last as (select distinct on (record_id) * from event order by record_id, at desc),
    named as (
      select record_id, max(title) as title, max(url) as url, bool_and(state = 'permissions_only') as permissions_only
      from event group by record_id
    ),
    changed as (
      select last.record_id, named.title, named.url, last.job_id, last.error_code, last.error_message,
        named.permissions_only,
        case when last.state in ('removed', 'failed') then last.state
             when first.is_new then 'new' else 'changed' end as change
      from last join first using (record_id) join named using (record_id)
      where not (last.state = 'removed' and first.is_new)
    )
  `
}
