import type { Selectable } from 'kysely'
import type { Database } from '../database.ts'
import type { Schema } from '../schema.ts'

export type KeyRow = Selectable<Schema['api_keys']>

export type NewKey = {
  id: string
  workspaceId: string
  name: string
  sealed: Buffer
  lookup: string
  lastFour: string
  createdBy: string | null
}

export async function insertKey(db: Database, key: NewKey): Promise<KeyRow> {
  return db
    .insertInto('api_keys')
    .values({
      id: key.id,
      workspace_id: key.workspaceId,
      name: key.name,
      sealed: key.sealed,
      lookup: key.lookup,
      last_four: key.lastFour,
      created_by: key.createdBy,
      last_used_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
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

export type ListedKey = Omit<KeyRow, 'sealed' | 'lookup'> & { maker: string | null }

/** Newest first, without the sealed value and its lookup. */
export async function listKeys(db: Database, workspaceId: string): Promise<ListedKey[]> {
  return keysQuery(db, workspaceId).orderBy('api_keys.created_at', 'desc').execute()
}

export async function readListedKey(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<ListedKey | undefined> {
  return keysQuery(db, workspaceId).where('api_keys.id', '=', id).executeTakeFirst()
}

function keysQuery(db: Database, workspaceId: string) {
  return db
    .selectFrom('api_keys')
    .leftJoin('auth_users', 'auth_users.id', 'api_keys.created_by')
    .select([
      'api_keys.id',
      'api_keys.workspace_id',
      'api_keys.name',
      'api_keys.last_four',
      'api_keys.enabled',
      'api_keys.created_by',
      'api_keys.created_at',
      'api_keys.last_used_at',
      'auth_users.name as maker',
    ])
    .where('api_keys.workspace_id', '=', workspaceId)
}

export async function readSealedKey(db: Database, id: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('api_keys').select('sealed').where('id', '=', id).executeTakeFirst()
  return row?.sealed
}

export async function setKeyEnabled(db: Database, id: string, enabled: boolean): Promise<void> {
  await db.updateTable('api_keys').set({ enabled }).where('id', '=', id).execute()
}

export async function deleteKey(db: Database, id: string): Promise<void> {
  await db.deleteFrom('api_keys').where('id', '=', id).execute()
}

/** Disables the keys a person created in a workspace; returns those that were enabled. */
export async function disableKeysOf(
  db: Database,
  workspaceId: string,
  makerId: string,
): Promise<{ id: string; name: string }[]> {
  return db
    .updateTable('api_keys')
    .set({ enabled: false })
    .where('workspace_id', '=', workspaceId)
    .where('created_by', '=', makerId)
    .where('enabled', '=', true)
    .returning(['id', 'name'])
    .execute()
}

/** Covers every workspace, including those the person has left. */
export async function disableAllKeysOf(
  db: Database,
  makerId: string,
): Promise<{ id: string; name: string; workspace_id: string }[]> {
  return db
    .updateTable('api_keys')
    .set({ enabled: false })
    .where('created_by', '=', makerId)
    .where('enabled', '=', true)
    .returning(['id', 'name', 'workspace_id'])
    .execute()
}

export type WorkingKeys = { workspace_id: string; workspace: string; keys: number }

/** Enabled keys a person created, counted per workspace the caller administers. */
export async function countWorkingKeys(
  db: Database,
  { makerId, administratorId }: { makerId: string; administratorId: string },
): Promise<WorkingKeys[]> {
  return db
    .selectFrom('api_keys')
    .innerJoin('workspaces', 'workspaces.id', 'api_keys.workspace_id')
    .innerJoin('workspace_members', 'workspace_members.workspace_id', 'api_keys.workspace_id')
    .select(({ fn }) => [
      'workspaces.id as workspace_id',
      'workspaces.name as workspace',
      fn.countAll<string>().as('keys'),
    ])
    .where('api_keys.created_by', '=', makerId)
    .where('api_keys.enabled', '=', true)
    .where('workspace_members.user_id', '=', administratorId)
    .where('workspace_members.role', '=', 'administrator')
    .groupBy(['workspaces.id', 'workspaces.name'])
    .orderBy('workspaces.created_at')
    .execute()
    .then((rows) => rows.map((row) => ({ ...row, keys: Number(row.keys) })))
}
