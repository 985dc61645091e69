import { type Selectable, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Schema } from '../schema.ts'
import type { EventType } from './events.ts'

export type NotificationRow = Selectable<Schema['notifications']> & { is_read: boolean }

/** Whose feed: what one person has read is unread for the others. */
export type FeedReader = { workspaceId: string; reader: string }

type FeedFilter = {
  workflowId?: string | undefined
  eventTypes: string[] | undefined
  since?: Date | undefined
  unreadOnly?: boolean
}

/** Newest first, those before the sequence `before`. */
export async function listNotifications(
  db: Database,
  reader: FeedReader,
  { before, limit, ...filter }: FeedFilter & { before: string | null; limit: number },
): Promise<NotificationRow[]> {
  const { rows } = await sql<NotificationRow>`
    select n.*, r.reader is not null as is_read from ${joined(reader)} where ${matches(reader, filter)}
      and (${before}::bigint is null or n.sequence < ${before}::bigint)
    order by n.sequence desc limit ${limit}
  `.execute(db)
  return rows
}

export async function readNotification(
  db: Database,
  reader: FeedReader,
  id: string,
): Promise<NotificationRow | undefined> {
  const { rows } = await sql<NotificationRow>`
    select n.*, r.reader is not null as is_read from ${joined(reader)}
    where n.workspace_id = ${reader.workspaceId}::uuid and n.id = ${id}::uuid
  `.execute(db)
  return rows[0]
}

export async function countUnread(
  db: Database,
  reader: FeedReader,
  filter: Pick<FeedFilter, 'eventTypes'>,
): Promise<number> {
  const { rows } = await sql<{ unread: number }>`
    select count(*)::int as unread from ${joined(reader)}
    where ${matches(reader, { ...filter, unreadOnly: true })}
  `.execute(db)
  return rows[0]?.unread ?? 0
}

export type MarkedNotifications =
  | { ids: string[] }
  | { before: Date; workflowId?: string | undefined }
  | { all: true; workflowId?: string | undefined }

/** Returns how many were unread. Ids of other workspaces have no effect. */
export async function markRead(
  db: Database,
  reader: FeedReader,
  marked: MarkedNotifications,
): Promise<number> {
  const workflowId = 'workflowId' in marked ? (marked.workflowId ?? null) : null
  const chosen =
    'ids' in marked
      ? sql`n.id = any(${marked.ids}::uuid[])`
      : sql`(${workflowId}::uuid is null or n.workflow_id = ${workflowId}::uuid)
          and (${'before' in marked ? marked.before : null}::timestamptz is null
            or n.created_at < ${'before' in marked ? marked.before : null}::timestamptz)`
  const { numAffectedRows } = await sql`
    insert into notification_reads (notification_id, reader)
    select n.id, ${reader.reader} from notifications as n
    where n.workspace_id = ${reader.workspaceId}::uuid and ${chosen}
    on conflict do nothing
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}

const KEPT_FOR = '30 days'
/** Per workspace, in each group of rows. */
const KEPT_ROWS = 10_000
const BATCH_ROWS = 5_000

const ROUTINE = ['job.scheduled', 'job.in_progress', 'job.completed', 'job.stopped'] satisfies EventType[]

// Routine pushes out no problem, which is reported once; nothing pushes out a delivery that waits.
const GROUPS = {
  notifications: sql`workspace_id, event_type = any(${ROUTINE}::text[])`,
  webhook_deliveries: sql`workspace_id, status = 'pending', event_type = 'job.progress'`,
}

/** Deletes old events, and conditions of deleted connectors. */
export async function pruneNotifications(db: Database): Promise<void> {
  for (const table of ['notifications', 'webhook_deliveries'] as const)
    while ((await pruneBatch(db, table)) === BATCH_ROWS);
  await sql`
    delete from notice_conditions as n where event_type = 'connector.failing'
      and not exists (select from connectors as c where c.id = n.subject)
  `.execute(db)
}

async function pruneBatch(db: Database, table: keyof typeof GROUPS): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where id in (
      select id from (
        select id, created_at, row_number() over (partition by ${GROUPS[table]} order by sequence desc) as rank
        from ${sql.table(table)}
      ) as row
      where created_at < now() - ${KEPT_FOR}::interval or rank > ${KEPT_ROWS}::int limit ${BATCH_ROWS}
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}

function joined({ reader }: FeedReader) {
  return sql`notifications as n left join notification_reads as r on r.notification_id = n.id and r.reader = ${reader}`
}

function matches({ workspaceId }: FeedReader, filter: FeedFilter) {
  const { workflowId = null, eventTypes = null, since = null, unreadOnly = false } = filter
  return sql`n.workspace_id = ${workspaceId}::uuid
    and (${workflowId}::uuid is null or n.workflow_id = ${workflowId}::uuid)
    and (${eventTypes}::text[] is null or n.event_type = any(${eventTypes}::text[]))
    and (${since}::timestamptz is null or n.created_at >= ${since}::timestamptz)
    and (not ${unreadOnly}::boolean or r.reader is null)`
}
