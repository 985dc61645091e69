import { sql } from 'kysely'
import type { Database } from './database.ts'

type Table = 'api_keys' | 'notification_channels'
type Row = { table: Table; workspaceId: string; id: string }
/** `by` is an actor of the audit log. */
type Deletion = Row & { by: string }
/** Only what this actor deleted; null for everything, which administrators may restore. */
type Restoration = Row & { deletedBy: string | null }

/** As the API says; the web page offers it two seconds shorter. */
const RESTORABLE = sql`deleted_at > now() - interval '30 seconds'`

/** Deletes a row at once and keeps a copy, which only `restoreRow` reads. */
export async function deleteRestorably(
  db: Database,
  { table, workspaceId, id, by }: Deletion,
): Promise<void> {
  await sql`
    with gone as (
      delete from ${sql.table(table)} where workspace_id = ${workspaceId}::uuid and id = ${id}::uuid returning *
    )
    insert into deleted_rows (id, workspace_id, taken_from, content, deleted_by)
    select id, workspace_id, ${table}, to_jsonb(gone), ${by} from gone
  `.execute(db)
}

/** False if the row was not deleted in the last 30 seconds, or by another actor. */
export async function restoreRow(
  db: Database,
  { table, workspaceId, id, deletedBy }: Restoration,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    with kept as (
      delete from deleted_rows
      where taken_from = ${table} and workspace_id = ${workspaceId}::uuid and id = ${id}::uuid
        and deleted_by = coalesce(${deletedBy}, deleted_by) and ${RESTORABLE}
      returning content
    )
    insert into ${sql.table(table)}
    select restored.* from kept, jsonb_populate_record(null::${sql.table(table)}, kept.content) as restored
  `.execute(db)
  return numAffectedRows > 0n
}

/** The deleted keys of a person who loses them must not come back, nor those deleted or restored meanwhile. */
export async function withoutDeletedKeysOf<T>(
  db: Database,
  personId: string,
  work: () => Promise<T>,
): Promise<T> {
  await forgetDeletedKeysOf(db, personId)
  const result = await work()
  await forgetDeletedKeysOf(db, personId)
  return result
}

async function forgetDeletedKeysOf(db: Database, personId: string): Promise<void> {
  await sql`
    delete from deleted_rows
    where taken_from = 'api_keys' and ${personId} in (content ->> 'created_by', content ->> 'person_id')
  `.execute(db)
}

export async function pruneDeletedRows(db: Database): Promise<void> {
  await sql`delete from deleted_rows where not (${RESTORABLE})`.execute(db)
}
