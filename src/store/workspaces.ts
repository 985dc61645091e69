import { sql } from 'kysely'
import type { Database } from './database.ts'

export async function firstWorkspace(db: Database): Promise<{ id: string } | undefined> {
  return db.selectFrom('workspaces').select('id').orderBy('created_at').limit(1).executeTakeFirst()
}

export type NewKey = {
  id: string
  workspaceId: string
  name: string
  sealed: Buffer
  lookup: string
  lastFour: string
}

/** Made once on an empty database: when several processes start at once, one of them makes it. */
export async function insertFirstWorkspace(
  db: Database,
  workspace: { id: string; name: string },
  key: NewKey | null,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`lock table workspaces in exclusive mode`.execute(tx)
    if (await firstWorkspace(tx)) return
    await tx.insertInto('workspaces').values({ id: workspace.id, name: workspace.name }).execute()
    if (!key) return
    await tx
      .insertInto('api_keys')
      .values({
        id: key.id,
        workspace_id: key.workspaceId,
        name: key.name,
        sealed: key.sealed,
        lookup: key.lookup,
        last_four: key.lastFour,
        last_used_at: null,
      })
      .execute()
  })
}

export async function findKey(
  db: Database,
  lookup: string,
): Promise<{ id: string; workspace_id: string } | undefined> {
  return db
    .selectFrom('api_keys')
    .select(['id', 'workspace_id'])
    .where('lookup', '=', lookup)
    .where('enabled', '=', true)
    .executeTakeFirst()
}

export async function touchKey(db: Database, id: string): Promise<void> {
  await db.updateTable('api_keys').set({ last_used_at: new Date() }).where('id', '=', id).execute()
}

export async function recordAudit(
  db: Database,
  entry: { workspaceId: string; actor: string; action: string; subject: object },
): Promise<void> {
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

/** What proves the master key, as the first start left it. */
export async function rememberKeyCheck(db: Database, check: string): Promise<string> {
  await db
    .insertInto('installation')
    .values({ key_check: check })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await db.selectFrom('installation').select('key_check').executeTakeFirstOrThrow()).key_check
}
