import { type Selectable, sql } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Database } from '../database.ts'
import type { IdentityKind, IdentityOrigin, Schema } from '../schema.ts'

export type IdentityRow = Selectable<Schema['identities']>
/** A person as a token, an address or a member id names them. */
export type IdentityValue = { kind: IdentityKind; value: string }
export type NewIdentity = IdentityValue & { account: string }

/** The account of a value in each source; null if there is none or more than one. */
export async function matchAccounts(
  db: Database,
  { workspaceId, kind, value }: IdentityValue & { workspaceId: string },
  sourceIds: string[],
): Promise<Map<string, string | null>> {
  const { rows } = await sql<{ source_id: string; account: string; accounts: number }>`
    select source_id, min(account) as account, count(distinct account)::int as accounts from identities
    where workspace_id = ${workspaceId}::uuid and source_id = any(${sourceIds}::uuid[])
      and kind = ${kind} and value = ${value}
    group by source_id
  `.execute(db)
  const unique = new Map(rows.map((row) => [row.source_id, row.accounts === 1 ? row.account : null]))
  return new Map(sourceIds.map((id) => [id, unique.get(id) ?? null]))
}

/** How many accounts of a source a value has: two or more match no one. */
export async function countAccounts(
  db: Database,
  { sourceId, kind, value }: IdentityValue & { sourceId: string },
): Promise<number> {
  const { rows } = await sql<{ accounts: number }>`
    select count(distinct account)::int as accounts from identities
    where source_id = ${sourceId}::uuid and kind = ${kind} and value = ${value}
  `.execute(db)
  return rows[0]?.accounts ?? 0
}

export async function verifiedEmailOf(db: Database, userId: string): Promise<string | null> {
  const row = await db
    .selectFrom('auth_users')
    .select('email')
    .where('id', '=', userId)
    .where('email_verified', '=', true)
    .executeTakeFirst()
  return row?.email ?? null
}

export type Import = { workspaceId: string; sourceId: string; rows: NewIdentity[]; replace: boolean }

/** An import replaces earlier imported accounts of the same values, or all imported rows of the source. */
export async function importIdentities(
  db: Database,
  { workspaceId, sourceId, rows, replace }: Import,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockSource(tx, sourceId)
    const values = {
      kinds: rows.map(({ kind }) => kind),
      values: rows.map(({ value }) => value),
    }
    await sql`delete from identities where source_id = ${sourceId}::uuid and origin = 'import' and (
      ${replace}::boolean or (kind, value) in (select * from unnest(${values.kinds}::text[], ${values.values}::text[])))
    `.execute(tx)
    await insertIdentities(tx, { workspaceId, sourceId, origin: 'import', rows })
  })
}

/** What a complete reading of a source showed; replaces the reading before. */
export type SourceReading = {
  workspaceId: string
  sourceId: string
  /** Of the source before it was opened. */
  revision: number
  accounts: { account: string; name: string | null }[]
  emails: NewIdentity[]
  began: Date
}

export async function storeSourceReading(
  db: Database,
  { workspaceId, sourceId, revision, accounts, emails, began }: SourceReading,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockSource(tx, sourceId)
    await holdRevision(tx, sourceId, revision)
    await sql`delete from identities where source_id = ${sourceId}::uuid and origin = 'source'`.execute(tx)
    await sql`delete from source_accounts where source_id = ${sourceId}::uuid`.execute(tx)
    await sql`insert into source_accounts (source_id, account, name)
      select ${sourceId}::uuid, * from unnest(${accounts.map(({ account }) => account)}::text[],
        ${accounts.map(({ name }) => name)}::text[])
      on conflict do nothing`.execute(tx)
    await insertIdentities(tx, { workspaceId, sourceId, origin: 'source', rows: emails })
    await sql`update identity_fills set read_at = ${began}, accounts = ${accounts.length}, emails = ${emails.length}
      where source_id = ${sourceId}::uuid`.execute(tx)
  })
}

/** Accounts of a site that the source no longer has are not stored. */
async function holdRevision(tx: Database, sourceId: string, revision: number): Promise<void> {
  const { rows } = await sql`
    select from connectors where id = ${sourceId}::uuid and revision = ${revision} for share
  `.execute(tx)
  if (rows.length === 0)
    throw new AppError('not_possible', 'the source got another site or account meanwhile', {
      fix: 'Try again',
    })
}

/** One writer per source at a time. */
async function lockSource(tx: Database, sourceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`identities ${sourceId}`}, 0))`.execute(tx)
}

type Inserted = { workspaceId: string; sourceId: string; origin: IdentityOrigin; rows: NewIdentity[] }

async function insertIdentities(
  db: Database,
  { workspaceId, sourceId, origin, rows }: Inserted,
): Promise<void> {
  await sql`insert into identities (workspace_id, source_id, origin, kind, value, account)
    select ${workspaceId}::uuid, ${sourceId}::uuid, ${origin}, * from unnest(
      ${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ value }) => value)}::text[],
      ${rows.map(({ account }) => account)}::text[])
    on conflict do nothing`.execute(db)
}

export type MemberLink = { workspaceId: string; sourceId: string; userId: string }

/** A member has one linked account per source. */
export async function linkMember(
  db: Database,
  { workspaceId, sourceId, userId, account, revision }: MemberLink & { account: string; revision: number },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockSource(tx, sourceId)
    await holdRevision(tx, sourceId, revision)
    await unlinkMember(tx, { workspaceId, sourceId, userId })
    const rows = [{ kind: 'member' as const, value: userId, account }]
    await insertIdentities(tx, { workspaceId, sourceId, origin: 'link', rows })
  })
}

/** False if there was no link. */
export async function unlinkMember(
  db: Database,
  { workspaceId, sourceId, userId }: MemberLink,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('identities')
    .where('workspace_id', '=', workspaceId)
    .where('source_id', '=', sourceId)
    .where('kind', '=', 'member')
    .where('value', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Accounts of another site prove nothing about this one. */
export async function forgetProvedIdentities(db: Database, sourceId: string): Promise<void> {
  await sql`delete from identities where source_id = ${sourceId}::uuid and origin in ('source', 'link')`.execute(
    db,
  )
  await sql`delete from source_accounts where source_id = ${sourceId}::uuid`.execute(db)
  // The next pass reads the new address at once.
  await sql`update identity_fills set tried_at = 'epoch', read_at = null where source_id = ${sourceId}::uuid`.execute(
    db,
  )
}

/** Marks an attempt and returns whether it is due; only one process gets true. */
export async function beginFill(
  db: Database,
  sourceId: string,
  { began, afterMs }: { began: Date; afterMs: number },
): Promise<boolean> {
  const { rows } =
    await sql`insert into identity_fills as f (source_id, tried_at) values (${sourceId}::uuid, ${began})
    on conflict (source_id) do update set tried_at = excluded.tried_at
      where f.tried_at <= ${new Date(began.getTime() - afterMs)}
    returning source_id`.execute(db)
  return rows.length > 0
}

/** Addresses are read on their own only where tokens use them, or after a person asked once. */
export async function wantsFill(db: Database, sourceId: string): Promise<boolean> {
  const { rows } = await sql<{ wanted: boolean }>`select exists (
      select from connectors as c join identity_settings as s on s.workspace_id = c.workspace_id
      where c.id = ${sourceId}::uuid and s.mapping = 'email'
    ) or exists (select from identity_fills where source_id = ${sourceId}::uuid) as wanted`.execute(db)
  return rows[0]?.wanted ?? false
}

export async function readFill(
  db: Database,
  sourceId: string,
): Promise<Selectable<Schema['identity_fills']> | undefined> {
  return db.selectFrom('identity_fills').selectAll().where('source_id', '=', sourceId).executeTakeFirst()
}

/** The sources whose account the member linked. */
export async function linkedSources(
  db: Database,
  { workspaceId, userId }: Omit<MemberLink, 'sourceId'>,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('identities')
    .select('source_id')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'member')
    .where('value', '=', userId)
    .execute()
  return new Set(rows.map(({ source_id }) => source_id))
}

/** Links end with the membership. */
export async function deleteLinksOf(db: Database, workspaceId: string, userId: string): Promise<void> {
  await db
    .deleteFrom('identities')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'member')
    .where('value', '=', userId)
    .execute()
}

export async function deleteAllLinksOf(db: Database, userId: string): Promise<void> {
  await db.deleteFrom('identities').where('kind', '=', 'member').where('value', '=', userId).execute()
}
