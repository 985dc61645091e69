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
