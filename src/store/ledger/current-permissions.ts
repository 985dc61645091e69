import { sql } from 'kysely'
import { clausesOf, type StoredLevel } from '../../permissions/levels.ts'
import type { Database } from '../database.ts'
import type { HiddenReason } from '../schema.ts'

/** What one ledger says about a document now. */
export type CurrentPermission = {
  workflowId: string
  recordId: string
  scope: string
  clauses: Record<string, string[]>
  hidden: HiddenReason | null
  /** When reading of the scope's permissions began; null if it never reached the end. */
  provedAt: Date | null
}

/** One entry for each ledger that knows a document; a document without entries is unknown. */
export async function currentPermissions(
  db: Database,
  workflowIds: string[],
  recordIds: string[],
): Promise<CurrentPermission[]> {
  // Other programs may write any id into the index; PostgreSQL refuses NUL.
  const ids = recordIds.filter((id) => !id.includes('\0'))
  if (workflowIds.length === 0 || ids.length === 0) return []
  // One lookup per document: for 1,000 ids the planner would read a whole index otherwise.
  type Row = Omit<CurrentPermission, 'clauses'> & { setId: string; levels: StoredLevel[] | null }
  const { rows } = await sql<Row>`
    with wanted as materialized (
      select w.* from unnest(${workflowIds}::uuid[]) as f(id) cross join unnest(${ids}::text[]) as r(id)
      cross join lateral (
        select workflow_id, record_id, scope, set_id, hidden from wanted_documents
        where workflow_id = f.id and record_id = r.id offset 0
      ) as w
    )
    select w.workflow_id as "workflowId", w.record_id as "recordId", w.scope, w.set_id as "setId", w.hidden,
      p.proved_at as "provedAt",
      case when row_number() over (partition by w.set_id) = 1 then s.access->'levels' end as levels
    from wanted as w
    join permission_sets as s on s.id = w.set_id
    left join workflow_scopes as p on p.workflow_id = w.workflow_id and p.scope = w.scope
  `.execute(db)
  // Documents share sets, and the levels of a set may be long: they come once.
  const sets = new Map(rows.flatMap(({ setId, levels }) => (levels ? [[setId, clausesOf(levels)]] : [])))
  return rows.map(({ setId, levels: _, ...row }) => ({ ...row, clauses: sets.get(setId) ?? {} }))
}

/** A scope whose documents search hides: not proved within the maximum age of its workflow. */
export type HiddenScope = {
  workflow_id: string
  scope: string
  /** `stale`: proved, but too long ago (the status `hidden` of the freshness route). `never`: not proved yet. */
  reason: 'stale' | 'never'
  proved_at: Date | null
}

/** `readerTokens` leaves out scopes that their last permissions do not let a reader into; null for all. */
export async function hiddenScopes(
  db: Database,
  workflowIds: string[],
  readerTokens: string[] | null = null,
): Promise<HiddenScope[]> {
  if (workflowIds.length === 0) return []
  // The documents of a scope share its level, so one is enough.
  const isOpen = sql`(${readerTokens === null} or (
    select p.access->'levels'->0->'who' ?| ${readerTokens ?? []}::text[]
    from wanted_documents as d join permission_sets as p on p.id = d.set_id
    where d.workflow_id = s.workflow_id and d.scope = s.scope limit 1))`
  const { rows } = await sql<HiddenScope>`
    select s.workflow_id, s.scope, s.proved_at, case when s.proved_at is null then 'never' else 'stale' end as reason
    from workflow_scopes as s join workflows as w on w.id = s.workflow_id
    where w.id = any(${workflowIds}::uuid[])
      and coalesce(s.proved_at, '-infinity') < now() - w.max_permission_age_hours * interval '1 hour' and ${isOpen}
    order by s.workflow_id, s.scope
  `.execute(db)
  return rows
}
