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
  subject: object
  actor_name: string | null
}

/** Newest first; names are current, and a deleted key has none. */
export async function listAudit(
  db: Database,
  workspaceId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<AuditRow[]> {
  const { rows } = await sql<AuditRow>`select audit.id, at, actor, action, subject,
      coalesce(auth_users.name, api_keys.name) as actor_name
    from audit
    left join auth_users on actor = 'person:' || auth_users.id
    left join api_keys on actor = 'key:' || api_keys.id
    where audit.workspace_id = ${workspaceId}::uuid and (${before}::bigint is null or audit.id < ${before}::bigint)
    order by audit.id desc limit ${limit}`.execute(db)
  return rows
}
