import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { lockWanted } from '../ledger/wanted.ts'
import type { WorkflowRow } from './workflows.ts'

/** Takes the workflows whose permission pass is due and sets the next time; each is returned to one process. */
export async function takeDuePasses(db: Database): Promise<WorkflowRow[]> {
  const { rows } = await sql<WorkflowRow>`
    update workflows set permissions_due_at = now() + make_interval(mins => coalesce(permissions_minutes, 15)),
      pass_requested = false
    where id in (
      select id from workflows
      where (pass_requested or (permissions_due_at <= now() and permissions_minutes is not null))
        and state = 'active'
        and deleted_at is null and source_id is not null and destination_id is not null
        and exists (select from workflow_scopes as s where s.workflow_id = workflows.id)
        and not exists (
          select from jobs as j where j.workflow_id = workflows.id and j.kind = 'permissions'
            and j.status in ('SCHEDULED', 'IN_PROGRESS')
        )
      order by permissions_due_at limit 50 for update skip locked
    ) returning *
  `.execute(db)
  return rows
}

/** During a content job each scope is proved again this often, whatever the schedule. */
const MAX_CONTENT_AGE = '25 minutes'

/** Workflows whose content job runs with permissions that get too old. */
export async function workflowsToProve(db: Database): Promise<WorkflowRow[]> {
  const { rows } = await sql<WorkflowRow>`
    select w.* from workflows as w join jobs as j on j.workflow_id = w.id
    where j.kind = 'content' and j.status = 'IN_PROGRESS' and w.source_id is not null
      and exists (
        select from workflow_scopes as s
        where s.workflow_id = w.id and s.listed_at < now() - ${MAX_CONTENT_AGE}::interval
      )
      and not exists (
        select from jobs as p where p.workflow_id = w.id and p.kind = 'permissions'
          and (p.status in ('SCHEDULED', 'IN_PROGRESS') or p.created_at > now() - interval '5 minutes')
      )
  `.execute(db)
  return rows
}

/** A pass has just read all permissions, so the next one is due a whole interval later. */
export async function postponePass(db: Database, workflowId: string): Promise<void> {
  await sql`
    update workflows set permissions_due_at = now() + make_interval(mins => coalesce(permissions_minutes, 15))
    where id = ${workflowId}::uuid
  `.execute(db)
}

/** For permissions that a listing could not apply: a pass runs soon, whatever the schedule. */
export async function requestPass(db: Database, workflowId: string): Promise<void> {
  await sql`update workflows set pass_requested = true where id = ${workflowId}::uuid`.execute(db)
}

/** Hides documents of scopes that were not proved in time, for readers that query the index themselves. */
export async function hideStaleScopes(db: Database): Promise<void> {
  // While a pass shows documents again, its scope is left alone.
  const { rows } = await sql<{ workflow_id: string; scope: string }>`
    select s.workflow_id, s.scope from workflows as w join workflow_scopes as s on s.workflow_id = w.id,
      lateral (select now() - make_interval(secs => w.hide_in_index_after_hours * 3600) as limit_at) as l
    where w.hide_in_index_after_hours is not null and w.deleted_at is null
      and coalesce(s.proved_at, s.listed_at) < l.limit_at
      and (s.hidden_at is null or (s.listed_at > s.hidden_at and s.listed_at < l.limit_at))
  `.execute(db)
  for (const { workflow_id: workflowId, scope } of rows) await hideScope(db, workflowId, scope)
}

/** Documents that one statement hides. */
const HIDE_BATCH = 10_000

async function hideScope(db: Database, workflowId: string, scope: string): Promise<void> {
  for (;;) {
    const hidden = await db.transaction().execute(async (transaction) => {
      await lockWanted(transaction, workflowId)
      const { numAffectedRows } = await sql`
        update wanted_documents set hidden = 'stale', needs_permission_write = true
        where workflow_id = ${workflowId}::uuid and record_id in (
          select record_id from wanted_documents
          where workflow_id = ${workflowId}::uuid and scope = ${scope} and hidden is null limit ${HIDE_BATCH}
        ) and ${isStale(workflowId, scope)}
      `.execute(transaction)
      return Number(numAffectedRows ?? 0)
    })
    if (hidden < HIDE_BATCH) break
  }
  await sql`
    update workflow_scopes set hidden_at = now()
    where workflow_id = ${workflowId}::uuid and scope = ${scope} and ${isStale(workflowId, scope)}
  `.execute(db)
}

/** A pass may have proved the scope meanwhile. */
function isStale(workflowId: string, scope: string) {
  return sql`exists (
    select from workflow_scopes as s join workflows as w on w.id = s.workflow_id
    where s.workflow_id = ${workflowId}::uuid and s.scope = ${scope}
      and coalesce(s.proved_at, s.listed_at) < now() - make_interval(secs => w.hide_in_index_after_hours * 3600))`
}
