import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'

export type PersonRow = Pick<Selectable<Schema['auth_users']>, 'id' | 'email' | 'name'>

/** An e-mail address names one person, however it is written. */
export function sameEmail(email: string): string {
  return email.trim().toLowerCase()
}

export async function findPerson(db: Database, email: string): Promise<PersonRow | undefined> {
  return db
    .selectFrom('auth_users')
    .select(['id', 'email', 'name'])
    .where('email', '=', sameEmail(email))
    .executeTakeFirst()
}

export async function readPerson(db: Database, id: string): Promise<PersonRow | undefined> {
  return db.selectFrom('auth_users').select(['id', 'email', 'name']).where('id', '=', id).executeTakeFirst()
}

/**
 * A person with a password, in the rows that the identity library reads. Undefined where the address is taken.
 * Whoever comes this way was vouched for, by the link of the set-up or an administrator's invitation.
 */
export async function insertPerson(
  db: Database,
  person: { email: string; name: string; passwordHash: string },
): Promise<PersonRow | undefined> {
  const row = await db
    .insertInto('auth_users')
    .values({ email: sameEmail(person.email), name: person.name, email_verified: true })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(['id', 'email', 'name'])
    .executeTakeFirst()
  if (!row) return undefined
  await db
    .insertInto('auth_accounts')
    .values({ user_id: row.id, provider_id: 'credential', account_id: row.id, password: person.passwordHash })
    .execute()
  return row
}

/** Sessions and half-done sign-ins that ended on their own; nothing looks at them again. */
export async function pruneExpiredSessions(db: Database): Promise<void> {
  await sql`delete from auth_sessions where expires_at < now()`.execute(db)
  await sql`delete from auth_verifications where expires_at < now()`.execute(db)
}

/** Ends the ways into an account that a password opened: the password itself, and every session. */
export async function forgetPassword(db: Database, userId: string): Promise<void> {
  await db
    .deleteFrom('auth_accounts')
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .execute()
  await db.deleteFrom('auth_sessions').where('user_id', '=', userId).execute()
}

export async function isFirstPerson(db: Database, userId: string): Promise<boolean> {
  const first = await db
    .selectFrom('auth_users')
    .select('id')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  return first?.id === userId
}
