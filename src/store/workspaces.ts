import { randomUUID } from 'node:crypto'
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

/**
 * The first workspace, and the first key for it, each made where the database has none: when several processes
 * start at once, one of them makes it. Answers whether there are keys now, and whether this one was made.
 */
export async function ensureFirstWorkspace(
  db: Database,
  name: string,
  keyFor: ((workspaceId: string) => NewKey) | null,
): Promise<{ hasKeys: boolean; madeKey: boolean }> {
  return db.transaction().execute(async (tx) => {
    await sql`lock table workspaces in exclusive mode`.execute(tx)
    const workspace =
      (await firstWorkspace(tx)) ??
      (await tx
        .insertInto('workspaces')
        .values({ id: randomUUID(), name })
        .returning('id')
        .executeTakeFirstOrThrow())
    const key = await tx.selectFrom('api_keys').select('id').limit(1).executeTakeFirst()
    if (key || !keyFor) return { hasKeys: key !== undefined, madeKey: false }
    await insertKey(tx, keyFor(workspace.id))
    return { hasKeys: true, madeKey: true }
  })
}

async function insertKey(db: Database, key: NewKey): Promise<void> {
  await db
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
