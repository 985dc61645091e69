import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { PersonRow } from './people.ts'

/** A second one for the same person takes the place of the first, whose link then leads nowhere. */
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

/** Whose it is, and who made it: null is whoever has the machine itself. */
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

/** Takes it away: of two that use it at once, one gets it. */
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

export async function forgetPasswordReset(db: Database, userId: string): Promise<void> {
  await db.deleteFrom('password_resets').where('user_id', '=', userId).execute()
}

/** What somebody made for others must not be their way back once they are less than they were. */
export async function deletePasswordResetsBy(db: Database, makerId: string): Promise<void> {
  await db.deleteFrom('password_resets').where('made_by', '=', makerId).execute()
}

/**
 * Whether somebody answers for all that a person can reach, and for some of it: a new password opens every workspace
 * they belong to, so that an administrator of one must not get into another by it, now or by a later invitation.
 */
export async function answersForAllOf(
  db: Database,
  { administratorId, userId }: { administratorId: string; userId: string },
): Promise<boolean> {
  const { rows } = await sql<{ answers: boolean }>`select exists (
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
    ) as answers`.execute(db)
  return rows[0]?.answers ?? false
}
