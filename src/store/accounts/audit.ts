import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** `actor` is `key:ID`, `person:ID`, or `operator` for the command line on the server. */
export type AuditEntry = { workspaceId: string; actor: string; action: string; subject: object }

export async function recordAudit(db: Database, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('audit')
    .values({
      workspace_id: entry.workspaceId,
      actor: entry.actor,
      action: entry.action,
      subject: JSON.stringify(entry.subject),
    })
    .execute()
}

/** Changes to an account concern every workspace of the person. */
export async function recordInAllWorkspaces(
  db: Database,
  personId: string,
  entry: Pick<AuditEntry, 'action' | 'subject'> & { actor?: string },
): Promise<void> {
  await sql`insert into audit (workspace_id, actor, action, subject)
    select workspace_id, ${entry.actor ?? `person:${personId}`}, ${entry.action}, ${JSON.stringify(entry.subject)}::jsonb
    from workspace_members where user_id = ${personId}::uuid`.execute(db)
}

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

const named = sql`audit
  left join auth_users on actor = 'person:' || auth_users.id
  left join api_keys on actor = 'key:' || api_keys.id`
const actorName = sql`coalesce(auth_users.name, api_keys.name)`

/** Newest first; names of actors are current, and a deleted key has none. */
export async function listAudit(
  db: Database,
  workspaceId: string,
  { before, limit, actions, actor, from, to, text }: AuditFilter & { before: string | null; limit: number },
): Promise<AuditRow[]> {
  const pattern = text === null ? null : `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  const { rows } = await sql<AuditRow>`select audit.id, at, actor, action, subject, ${actorName} as actor_name
    from ${named}
    where audit.workspace_id = ${workspaceId}::uuid and (${before}::bigint is null or audit.id < ${before}::bigint)
      and (${actions}::text[] is null or action = any(${actions}::text[]))
      and (${actor}::text is null or actor = ${actor}::text)
      and (${from}::timestamptz is null or at >= ${from}::timestamptz)
      and (${to}::timestamptz is null or at < ${to}::timestamptz)
      and (${pattern}::text is null or subject::text ilike ${pattern}::text
        or replace(action, '_', ' ') ilike ${pattern}::text or ${actorName} ilike ${pattern}::text)
    order by audit.id desc limit ${limit}`.execute(db)
  return rows
}

const MAX_ACTORS = 500

/** Everyone with an entry, the most recent first. */
export async function listAuditActors(
  db: Database,
  workspaceId: string,
): Promise<{ actor: string; name: string | null }[]> {
  const { rows } = await sql<{ actor: string; name: string | null }>`
    select actor, max(${actorName}) as name from ${named}
    where audit.workspace_id = ${workspaceId}::uuid
    group by actor order by max(audit.id) desc limit ${MAX_ACTORS}`.execute(db)
  return rows
}

type Named = { workspaceId: string; kind: 'source' | 'destination' | 'workflow' | 'job'; id: string }

/** The current name; a job has the name of its workflow. */
export async function auditedName(
  db: Database,
  { workspaceId, kind, id }: Named,
): Promise<string | undefined> {
  const query =
    kind === 'workflow'
      ? sql<{
          name: string
        }>`select name from workflows where workspace_id = ${workspaceId}::uuid and id = ${id}::uuid`
      : kind === 'job'
        ? sql<{
            name: string
          }>`select workflows.name from jobs join workflows on workflows.id = jobs.workflow_id
            where jobs.workspace_id = ${workspaceId}::uuid and jobs.id = ${id}::uuid`
        : sql<{ name: string }>`select name from connectors
            where workspace_id = ${workspaceId}::uuid and kind = ${kind} and id = ${id}::uuid`
  return (await query.execute(db)).rows[0]?.name
}
