import { sql } from 'kysely'
import { type Database, inTransaction } from '../database.ts'
import { type EventType, type NewEvent, recordEvent } from './events.ts'

/** A state that lasts; `subject` is a workflow or a connector. */
type Condition = { type: EventType; subject: string }

/** Records the event, unless the same condition is reported already. */
export async function reportCondition(
  db: Database,
  { subject, ...event }: NewEvent & Condition,
): Promise<void> {
  const { rows } = await sql`
    insert into notice_conditions (event_type, subject, workspace_id)
    values (${event.type}, ${subject}::uuid, ${event.workspaceId}::uuid)
    on conflict do nothing returning subject
  `.execute(db)
  if (rows.length > 0) await recordEvent(db, event)
}

export async function clearCondition(db: Database, { type, subject }: Condition): Promise<void> {
  await sql`delete from notice_conditions where event_type = ${type} and subject = ${subject}::uuid`.execute(
    db,
  )
}

/** One failure may be an outage of minutes. */
const REPORTED_FAILURES = 3

type ConnectorFailure = { connectorId: string; errorCode: string }

/** Reported at the third failure in a row. */
export async function recordConnectorFailure(db: Database, failure: ConnectorFailure): Promise<void> {
  await inTransaction(db, (transaction) => countFailure(transaction, failure))
}

async function countFailure(db: Database, { connectorId, errorCode }: ConnectorFailure): Promise<void> {
  const { rows } = await sql<{ workspace_id: string; kind: string; name: string; since: Date }>`
    with failing as (
      insert into notice_conditions as n (event_type, subject, workspace_id)
      select 'connector.failing', id, workspace_id from connectors where id = ${connectorId}::uuid
      on conflict (event_type, subject) do update set failures = n.failures + 1
      returning n.subject, n.since, n.failures
    )
    select c.workspace_id, c.kind, c.name, failing.since from failing join connectors as c on c.id = failing.subject
    where failing.failures = ${REPORTED_FAILURES}
  `.execute(db)
  const [connector] = rows
  if (!connector) return
  await recordEvent(db, {
    type: 'connector.failing',
    workspaceId: connector.workspace_id,
    workflowId: null,
    details: {
      connector: { connector_id: connectorId, kind: connector.kind, name: connector.name },
      failures: REPORTED_FAILURES,
      since: connector.since.toISOString(),
      error_code: errorCode,
    },
  })
}

export async function clearConnectorFailures(
  db: Database,
  ids: (string | null | undefined)[],
): Promise<void> {
  const connectorIds = ids.filter((id) => typeof id === 'string').sort()
  if (connectorIds.length === 0) return
  await sql`
    delete from notice_conditions
    where event_type = 'connector.failing' and subject = any(${connectorIds}::uuid[])
  `.execute(db)
}

type TooOld = {
  id: string
  workspace_id: string
  name: string
  max_permission_age_hours: number
  scopes: number
  oldest: Date
}

/** Reports workflows whose permissions search hides for their age, once until they are fresh again. */
export async function reportOldPermissions(db: Database): Promise<void> {
  const { rows } = await sql<TooOld>`
    select w.id, w.workspace_id, w.name, w.max_permission_age_hours, count(*)::int as scopes,
      min(coalesce(s.proved_at, s.listed_at)) as oldest
    from workflows as w join workflow_scopes as s on s.workflow_id = w.id
    where w.deleted_at is null
      and coalesce(s.proved_at, s.listed_at) < now() - make_interval(secs => w.max_permission_age_hours * 3600)
    group by w.id
  `.execute(db)
  for (const workflow of rows)
    await db.transaction().execute((transaction) => reportOld(transaction, workflow))
  await sql`
    delete from notice_conditions
    where event_type = 'permissions.too_old' and subject <> all(${rows.map(({ id }) => id)}::uuid[])
  `.execute(db)
}

async function reportOld(db: Database, workflow: TooOld): Promise<void> {
  await reportCondition(db, {
    type: 'permissions.too_old',
    subject: workflow.id,
    workspaceId: workflow.workspace_id,
    workflowId: workflow.id,
    details: {
      workflow: { workflow_id: workflow.id, workflow_name: workflow.name },
      scopes: workflow.scopes,
      oldest: workflow.oldest.toISOString(),
      max_permission_age_hours: workflow.max_permission_age_hours,
    },
  })
}
