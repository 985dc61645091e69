import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'

export type AuditRow = {
  id: string
  at: Date
  actor: string
  action: string
  subject: Record<string, unknown>
  actor_name: string | null
}

export type AuditFilter = {
  actions: string[] | null
  actor: string | null
  from: Date | null
  to: Date | null
  /** In the name of the actor, the action or the subject. */
  text: string | null
}

export type AuditPart = {
  rows: AuditRow[]
  /** Where the next part begins; null at the end of the log. */
  next: string | null
}

/** Entries that one statement reads for a filter without an index. */
const WINDOW = 10_000
/** A place in the log. A date of JavaScript would lose the microseconds. */
export const AUDIT_CURSOR = /^\d{1,17}-\d{1,18}$/

const cursorOf = (row: string) =>
  sql<string>`(extract(epoch from ${sql.ref(`${row}.at`)}) * 1000000)::bigint || '-' || ${sql.ref(`${row}.id`)}`
const actorName = sql`coalesce(auth_users.name, api_keys.name)`
const withNames = sql`
  left join auth_users on entry.actor = 'person:' || auth_users.id
  left join api_keys on entry.actor = 'key:' || api_keys.id`

/**
 * Up to `limit` entries, newest first. A filter by text or by several actions reads a part of the log: then there may be
 * fewer entries, or none, and still a `next`.
 */
export async function listAudit(
  db: Database,
  workspaceId: string,
  { before, limit, ...filter }: AuditFilter & { before: string | null; limit: number },
): Promise<AuditPart> {
  const { actions, text } = filter
  const range = rangeOf(workspaceId, filter, before)
  const isIndexed = text === null && (actions === null || actions.length === 1)
  const pattern = text === null ? null : `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  const { rows } = await sql<AuditRow & { cursor: string }>`
    with entry as materialized (
      select id, at, actor, action, subject from audit where ${range}
      order by at desc, id desc limit ${isIndexed ? limit + 1 : WINDOW}
    )
    select entry.id, at, actor, action, subject, ${actorName} as actor_name, ${cursorOf('entry')} as cursor
    from entry ${withNames}
    where (${actions}::text[] is null or action = any(${actions}::text[]))
      and (${pattern}::text is null or subject::text ilike ${pattern}::text
        or replace(action, '_', ' ') ilike ${pattern}::text or ${actorName} ilike ${pattern}::text)
    order by at desc, entry.id desc limit ${limit + 1}`.execute(db)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? (shown.at(-1)?.cursor ?? null) : null
  return {
    rows: shown.map(({ cursor: _, ...row }) => row),
    next: last ?? (isIndexed ? null : await windowEnd(db, range)),
  }
}

function rangeOf(
  workspaceId: string,
  { actor, actions, from, to }: AuditFilter,
  before: string | null,
): RawBuilder<unknown> {
  const [micros, id] = before?.split('-') ?? []
  const conditions = [
    sql`workspace_id = ${workspaceId}::uuid`,
    ...(actor === null ? [] : [sql`actor = ${actor}`]),
    ...(actions?.length === 1 ? [sql`action = ${actions[0]}`] : []),
    ...(from === null ? [] : [sql`at >= ${from}::timestamptz`]),
    ...(to === null ? [] : [sql`at < ${to}::timestamptz`]),
    ...(micros === undefined
      ? []
      : [
          sql`(at, id) < ('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${id}::bigint)`,
        ]),
  ]
  return sql.join(conditions, sql` and `)
}

/** Null if the statement before has read everything. */
async function windowEnd(db: Database, range: RawBuilder<unknown>): Promise<string | null> {
  const { rows } = await sql<{ cursor: string }>`
    select ${cursorOf('audit')} as cursor from audit where ${range}
    order by at desc, id desc offset ${WINDOW - 1} limit 1`.execute(db)
  return rows[0]?.cursor ?? null
}

const MAX_ACTORS = 500

/** The actors of the newest entries, the most recent first. Names are current, and a deleted key has none. */
export async function listAuditActors(
  db: Database,
  workspaceId: string,
): Promise<{ actor: string; name: string | null }[]> {
  const { rows } = await sql<{ actor: string; name: string | null }>`
    select entry.actor, ${actorName} as name from (
      select actor, max(at) as at from (
        select actor, at from audit where workspace_id = ${workspaceId}::uuid
        order by at desc, id desc limit ${WINDOW}
      ) as newest group by actor
    ) as entry ${withNames}
    order by entry.at desc limit ${MAX_ACTORS}`.execute(db)
  return rows
}

const BATCH_ROWS = 5_000
const BATCHES = 20

/** Deletes entries that are older, in small batches. */
export async function pruneAudit(db: Database, { days }: { days: number }): Promise<void> {
  for (let batches = BATCHES; batches > 0; batches--) {
    const { numAffectedRows } = await sql`
      delete from audit where ctid = any(array(
        select ctid from audit where at < now() - make_interval(days => ${days}::int) limit ${BATCH_ROWS}
      ))
    `.execute(db)
    if (Number(numAffectedRows ?? 0) < BATCH_ROWS) return
  }
}
