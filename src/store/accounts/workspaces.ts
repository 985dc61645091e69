import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { insertKey, type NewKey } from './keys.ts'

export async function firstWorkspace(db: Database): Promise<{ id: string } | undefined> {
  return db.selectFrom('workspaces').select('id').orderBy('created_at').limit(1).executeTakeFirst()
}

/** Creates the first workspace and its first key if missing. */
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

export async function insertWorkspace(
  db: Database,
  workspace: { organisationId: string; name: string },
): Promise<{ id: string; name: string }> {
  return db
    .insertInto('workspaces')
    .values({ id: randomUUID(), organisation_id: workspace.organisationId, name: workspace.name })
    .returning(['id', 'name'])
    .executeTakeFirstOrThrow()
}

export async function renameWorkspace(db: Database, id: string, name: string): Promise<void> {
  await db.updateTable('workspaces').set({ name }).where('id', '=', id).execute()
}

/** Stores the check value at the first start; later starts return the stored one. */
export async function storeKeyCheck(db: Database, check: string): Promise<string> {
  await db
    .insertInto('installation')
    .values({ key_check: check })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await db.selectFrom('installation').select('key_check').executeTakeFirstOrThrow()).key_check
}
