import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { insertKey, type NewKey } from './keys.ts'

export async function firstWorkspace(db: Database): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('workspaces')
    .select('id')
    .where('closed_at', 'is', null)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
}

/** Creates the first workspace and its first key if missing. */
export async function ensureFirstWorkspace(
  db: Database,
  name: string,
  keyFor: ((workspaceId: string) => NewKey) | null,
): Promise<{ hasKeys: boolean; createdKey: boolean }> {
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
    if (key || !keyFor) return { hasKeys: key !== undefined, createdKey: false }
    await insertKey(tx, keyFor(workspace.id))
    return { hasKeys: true, createdKey: true }
  })
}

export async function insertWorkspace(
  db: Database,
  workspace: { organisationId: string; name: string },
): Promise<{ id: string; name: string; admits_readers: boolean }> {
  return db
    .insertInto('workspaces')
    .values({ id: randomUUID(), organisation_id: workspace.organisationId, name: workspace.name })
    .returning(['id', 'name', 'admits_readers'])
    .executeTakeFirstOrThrow()
}

/** Holds off other creations until the transaction ends. */
export async function countWorkspaces(tx: Database): Promise<number> {
  await sql`lock table workspaces in share row exclusive mode`.execute(tx)
  const { count } = await tx
    .selectFrom('workspaces')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Only a business account has members who can join. */
export async function changeWorkspace(
  db: Database,
  id: string,
  changes: { name?: string; admits_readers?: boolean },
): Promise<{ name: string; admits_readers: boolean }> {
  return db
    .updateTable('workspaces')
    .set(changes)
    .where('id', '=', id)
    .returning(['name', 'admits_readers'])
    .executeTakeFirstOrThrow()
}

export async function workspacesForReaders(
  db: Database,
): Promise<{ workspaceId: string; organisationId: string }[]> {
  return db
    .selectFrom('workspaces')
    .innerJoin('organisations', 'organisations.id', 'workspaces.organisation_id')
    .select(['workspaces.id as workspaceId', 'organisations.id as organisationId'])
    .where('workspaces.admits_readers', '=', true)
    .where('organisations.tier', '=', 'business')
    .execute()
}
