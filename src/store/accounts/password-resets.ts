import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { PersonRow } from './people.ts'

/** Replaces an earlier link of the person, which stops working. */
export async function insertPasswordReset(
  db: Database,
  reset: { userId: string; madeBy: string | null; tokenHash: string; expiresAt: Date },
): Promise<void> {
  const { userId, madeBy, tokenHash, expiresAt } = reset
  const fresh = { token_hash: tokenHash, made_by: madeBy, expires_at: expiresAt }
  await db
    .insertInto('password_resets')
    .values({ ...fresh, user_id: userId })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(fresh))
    .execute()
}

/** `made_by` is null for links created on the server. */
export async function findPasswordReset(
  db: Database,
  tokenHash: string,
): Promise<(PersonRow & { made_by: string | null }) | undefined> {
  return db
    .selectFrom('password_resets')
    .innerJoin('auth_users', 'auth_users.id', 'password_resets.user_id')
    .select(['auth_users.id', 'auth_users.email', 'auth_users.name', 'password_resets.made_by'])
    .where('password_resets.token_hash', '=', tokenHash)
    .where('password_resets.expires_at', '>', new Date())
    .executeTakeFirst()
}

/** Deletes it on use: of two simultaneous requests, one succeeds. */
export async function takePasswordReset(
  db: Database,
  tokenHash: string,
): Promise<{ user_id: string; made_by: string | null } | undefined> {
  return db
    .deleteFrom('password_resets')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', new Date())
    .returning(['user_id', 'made_by'])
    .executeTakeFirst()
}

export async function deletePasswordReset(db: Database, userId: string): Promise<void> {
  await db.deleteFrom('password_resets').where('user_id', '=', userId).execute()
}

/** A former administrator must not return through a reset link they created. */
export async function deletePasswordResetsBy(db: Database, creatorId: string): Promise<void> {
  await db.deleteFrom('password_resets').where('made_by', '=', creatorId).execute()
}

/** A new password opens every workspace of a person, so their administrator must administer all of them. */
export async function administersAllOf(
  db: Database,
  { administratorId, userId }: { administratorId: string; userId: string },
): Promise<boolean> {
  const { rows } = await sql<{ administers: boolean }>`select exists (
      select from workspace_members as theirs join workspace_members as mine using (workspace_id)
        where theirs.user_id = ${userId}::uuid and mine.user_id = ${administratorId}::uuid
          and mine.role = 'administrator'
    ) and not exists (
      select from workspace_members as theirs where theirs.user_id = ${userId}::uuid and not exists (
        select from workspace_members as mine where mine.user_id = ${administratorId}::uuid
          and mine.workspace_id = theirs.workspace_id and mine.role = 'administrator')
    ) and not exists (
      select from organisation_members as theirs where theirs.user_id = ${userId}::uuid and theirs.is_administrator
        and not exists (select from organisation_members as mine where mine.user_id = ${administratorId}::uuid
          and mine.organisation_id = theirs.organisation_id and mine.is_administrator)
    ) as administers`.execute(db)
  return rows[0]?.administers ?? false
}
