import { type Selectable, sql } from 'kysely'
import type { Database } from '../database.ts'
import { deleteRestorably, restoreRow, withoutDeletedKeysOf } from '../deleted-rows.ts'
import { type ListPart, type ListRange, readPart } from '../keyset.ts'
import type { KeyRole, Schema } from '../schema.ts'

export type KeyRow = Selectable<Schema['api_keys']>

export type NewKey = {
  id: string
  workspaceId: string
  name: string
  sealed: Buffer | null
  lookup: string
  lastFour: string
  createdBy: string | null
  limits: KeyLimits
}

/** What a key may do, and until when. */
export type KeyLimits = {
  role: KeyRole
  destinationIds: string[]
  mayImpersonate: boolean
  expiresAt: Date | null
  /** Set for a personal token. */
  personId: string | null
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
      scope: key.limits.role,
      destination_ids: key.limits.destinationIds,
      may_impersonate: key.limits.mayImpersonate,
      expires_at: key.limits.expiresAt,
      person_id: key.limits.personId,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Null if the workspace has `max` keys already, or the person as many personal tokens. */
export async function insertKeyWithin(db: Database, key: NewKey, max: number): Promise<KeyRow | null> {
  return db.transaction().execute(async (tx) => {
    await holdWorkspace(tx, key.workspaceId)
    return (await countKeys(tx, key.workspaceId, key.limits.personId)) < max ? insertKey(tx, key) : null
  })
}

/** Two requests at once must not both take the last place. */
async function holdWorkspace(tx: Database, id: string): Promise<void> {
  await sql`select 1 from workspaces where id = ${id} for no key update`.execute(tx)
}

async function countKeys(db: Database, workspaceId: string, personId: string | null): Promise<number> {
  const { count } = await db
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('person_id', personId ? '=' : 'is', personId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export type FoundKey = Pick<
  KeyRow,
  'id' | 'workspace_id' | 'scope' | 'destination_ids' | 'may_impersonate' | 'expires_at' | 'person_id'
>

/** Undefined if the key is disabled or expired, or its person has left the workspace. */
export async function findKey(db: Database, lookup: string): Promise<FoundKey | undefined> {
  return db
    .selectFrom('api_keys')
    .select(['id', 'workspace_id', 'scope', 'destination_ids', 'may_impersonate', 'expires_at', 'person_id'])
    .where('lookup', '=', lookup)
    .where('enabled', '=', true)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('person_id', 'is', null),
        exists(
          selectFrom('workspace_members')
            .select('role')
            .whereRef('workspace_members.workspace_id', '=', 'api_keys.workspace_id')
            .whereRef('workspace_members.user_id', '=', 'api_keys.person_id'),
        ),
      ]),
    )
    .where(({ or, eb, fn }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', fn<Date>('now'))]))
    .executeTakeFirst()
}

export async function recordKeyUse(db: Database, id: string): Promise<void> {
  await db.updateTable('api_keys').set({ last_used_at: new Date() }).where('id', '=', id).execute()
}

export type ListedKey = Omit<KeyRow, 'sealed' | 'lookup'> & { creator: string | null }

/** Newest first, without the sealed value and its lookup, and without personal tokens. */
export async function listKeys(
  db: Database,
  workspaceId: string,
  range: ListRange,
): Promise<ListPart<ListedKey>> {
  return readPart(keysQuery(db, workspaceId).where('api_keys.person_id', 'is', null), LIST_ORDER, range)
}

const LIST_ORDER = { at: 'api_keys.created_at', id: 'api_keys.id', direction: 'desc' } as const

export async function readListedKey(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<ListedKey | undefined> {
  return keysQuery(db, workspaceId)
    .where('api_keys.person_id', 'is', null)
    .where('api_keys.id', '=', id)
    .executeTakeFirst()
}

/** Newest first; of one person, or of all. */
export async function listPersonalTokens(
  db: Database,
  workspaceId: string,
  { personId, ...range }: ListRange & { personId: string | null },
): Promise<ListPart<ListedKey>> {
  const query = keysQuery(db, workspaceId).where('api_keys.person_id', personId ? '=' : 'is not', personId)
  return readPart(query, LIST_ORDER, range)
}

/** Of one person, or of anyone. */
export async function readPersonalToken(
  db: Database,
  workspaceId: string,
  { id, personId }: { id: string; personId: string | null },
): Promise<ListedKey | undefined> {
  return keysQuery(db, workspaceId)
    .where('api_keys.person_id', personId ? '=' : 'is not', personId)
    .where('api_keys.id', '=', id)
    .executeTakeFirst()
}

export async function deletePersonalTokensOf(
  db: Database,
  workspaceId: string,
  personId: string,
): Promise<void> {
  await withoutDeletedKeysOf(db, personId, () =>
    db
      .deleteFrom('api_keys')
      .where('workspace_id', '=', workspaceId)
      .where('person_id', '=', personId)
      .execute(),
  )
}

/** In every workspace. */
export async function deleteAllPersonalTokensOf(
  db: Database,
  personId: string,
): Promise<{ id: string; name: string; workspace_id: string }[]> {
  return withoutDeletedKeysOf(db, personId, () =>
    db
      .deleteFrom('api_keys')
      .where('person_id', '=', personId)
      .returning(['id', 'name', 'workspace_id'])
      .execute(),
  )
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
      'api_keys.scope',
      'api_keys.destination_ids',
      'api_keys.may_impersonate',
      'api_keys.expires_at',
      'api_keys.person_id',
      'auth_users.name as creator',
    ])
    .where('api_keys.workspace_id', '=', workspaceId)
}

export async function readSealedKey(db: Database, id: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('api_keys').select('sealed').where('id', '=', id).executeTakeFirst()
  return row?.sealed ?? undefined
}

export async function setKeyEnabled(db: Database, id: string, enabled: boolean): Promise<void> {
  await db.updateTable('api_keys').set({ enabled }).where('id', '=', id).execute()
}

export async function deleteKey(db: Database, key: { workspaceId: string; id: string; by: string }) {
  await deleteRestorably(db, { table: 'api_keys', ...key })
}

/** Within the limit, as for a new key. Undefined if `deletedBy` did not delete it in the last 30 seconds. */
export async function restoreKey(
  db: Database,
  { check, ...deleted }: RestoredKey,
): Promise<ListedKey | undefined> {
  return db.transaction().execute(async (tx) => {
    const { workspaceId, id } = deleted
    await holdWorkspace(tx, workspaceId)
    if (!(await restoreRow(tx, { table: 'api_keys', ...deleted }))) return undefined
    const row = await keysQuery(tx, workspaceId).where('api_keys.id', '=', id).executeTakeFirstOrThrow()
    check(row, await countKeys(tx, workspaceId, row.person_id))
    return row
  })
}

type RestoredKey = {
  workspaceId: string
  id: string
  /** Null for anyone. */
  deletedBy: string | null
  check: (row: ListedKey, keys: number) => void
}

/** Disables the keys a person created in a workspace; returns those that were enabled. */
export async function disableKeysOf(
  db: Database,
  workspaceId: string,
  creatorId: string,
): Promise<{ id: string; name: string }[]> {
  return withoutDeletedKeysOf(db, creatorId, () =>
    db
      .updateTable('api_keys')
      .set({ enabled: false })
      .where('workspace_id', '=', workspaceId)
      .where('created_by', '=', creatorId)
      .where('person_id', 'is', null)
      .where('enabled', '=', true)
      .returning(['id', 'name'])
      .execute(),
  )
}

/** Covers every workspace, including those the person has left. */
export async function disableAllKeysOf(
  db: Database,
  creatorId: string,
): Promise<{ id: string; name: string; workspace_id: string }[]> {
  return withoutDeletedKeysOf(db, creatorId, () =>
    db
      .updateTable('api_keys')
      .set({ enabled: false })
      .where('created_by', '=', creatorId)
      .where('enabled', '=', true)
      .returning(['id', 'name', 'workspace_id'])
      .execute(),
  )
}

export type EnabledKeys = { workspace_id: string; workspace: string; keys: number }

/** Enabled keys a person created, counted per workspace the caller administers. */
export async function countEnabledKeys(
  db: Database,
  { creatorId, administratorId }: { creatorId: string; administratorId: string },
): Promise<EnabledKeys[]> {
  return db
    .selectFrom('api_keys')
    .innerJoin('workspaces', 'workspaces.id', 'api_keys.workspace_id')
    .innerJoin('workspace_members', 'workspace_members.workspace_id', 'api_keys.workspace_id')
    .select(({ fn }) => [
      'workspaces.id as workspace_id',
      'workspaces.name as workspace',
      fn.countAll<string>().as('keys'),
    ])
    .where('api_keys.created_by', '=', creatorId)
    .where('api_keys.person_id', 'is', null)
    .where('api_keys.enabled', '=', true)
    .where('workspace_members.user_id', '=', administratorId)
    .where('workspace_members.role', '=', 'administrator')
    .groupBy(['workspaces.id', 'workspaces.name'])
    .orderBy('workspaces.created_at')
    .execute()
    .then((rows) => rows.map((row) => ({ ...row, keys: Number(row.keys) })))
}
