import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { ACTIVE_STATUSES } from '../jobs/jobs.ts'

/** Few at a time, because each has many rows of its own. */
const BATCH = 20

/** Ends every access by key, and every start of a job. Returns the keys and the jobs that still run. */
export async function closeWorkspace(db: Database, workspaceId: string) {
  const keys = await db
    .deleteFrom('api_keys')
    .where('workspace_id', '=', workspaceId)
    .returning('id')
    .execute()
  await sql`delete from deleted_rows where workspace_id = ${workspaceId}::uuid`.execute(db)
  await db
    .updateTable('workflows')
    .set({ state: 'inactive' })
    .where('workspace_id', '=', workspaceId)
    .execute()
  const jobs = await db
    .selectFrom('jobs')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('status', 'in', ACTIVE_STATUSES)
    .execute()
  return { keyIds: keys.map(({ id }) => id), jobIds: jobs.map(({ id }) => id) }
}

/** False if it is the last one of its organisation. Everything that belongs to it goes with it. */
export async function deleteWorkspace(db: Database, workspaceId: string): Promise<boolean> {
  for (const table of ['jobs', 'workflows'] as const) await deleteInBatches(db, table, workspaceId)
  return db.transaction().execute(async (tx) => {
    await sql`
      select from organisations
      where id = (select organisation_id from workspaces where id = ${workspaceId}::uuid) for update
    `.execute(tx)
    if (await isLastWorkspace(tx, workspaceId)) return false
    await tx.deleteFrom('workspaces').where('id', '=', workspaceId).execute()
    return true
  })
}

export async function isLastWorkspace(db: Database, workspaceId: string): Promise<boolean> {
  const other = await db
    .selectFrom('workspaces as one')
    .innerJoin('workspaces as other', 'other.organisation_id', 'one.organisation_id')
    .select('other.id')
    .where('one.id', '=', workspaceId)
    .whereRef('other.id', '<>', 'one.id')
    .limit(1)
    .executeTakeFirst()
  return other === undefined
}

async function deleteInBatches(
  db: Database,
  table: 'jobs' | 'workflows',
  workspaceId: string,
): Promise<void> {
  let deleted: bigint
  do {
    const ids = db.selectFrom(table).select('id').where('workspace_id', '=', workspaceId).limit(BATCH)
    const result = await db.deleteFrom(table).where('id', 'in', ids).executeTakeFirst()
    deleted = result.numDeletedRows
  } while (deleted > 0n)
}
