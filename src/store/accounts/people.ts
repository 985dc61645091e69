import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../database.ts'
import type { Schema } from '../schema.ts'

export type PersonRow = Pick<Selectable<Schema['auth_users']>, 'id' | 'email' | 'name'>

/** Addresses that differ only in case or spaces name one person. The Kelvin sign stays: in lower case it is a k. */
export function normalizeEmail(email: string): string {
  return email.trim().replaceAll(/[^\u212A]+/g, (part) => part.toLowerCase())
}

export async function findPerson(db: Database, email: string): Promise<PersonRow | undefined> {
  return db
    .selectFrom('auth_users')
    .select(['id', 'email', 'name'])
    .where('email', '=', normalizeEmail(email))
    .executeTakeFirst()
}

export async function readPerson(db: Database, id: string): Promise<PersonRow | undefined> {
  return db.selectFrom('auth_users').select(['id', 'email', 'name']).where('id', '=', id).executeTakeFirst()
}

/** The identity provider and its id of a person. */
export type AccountKey = { provider: string; subject: string }

/** Signs in with a password or through an identity provider. */
export type NewPerson = { email: string; name: string } & ({ passwordHash: string } | { account: AccountKey })

/** Undefined if the address is taken. It counts as verified: a link or the identity provider vouches for it. */
export async function insertPerson(db: Database, person: NewPerson): Promise<PersonRow | undefined> {
  const row = await db
    .insertInto('auth_users')
    .values({ email: normalizeEmail(person.email), name: person.name, email_verified: true })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(['id', 'email', 'name'])
    .executeTakeFirst()
  if (!row) return undefined
  if ('account' in person) await insertAccount(db, row.id, person.account)
  else await setPassword(db, row.id, person.passwordHash)
  return row
}

export async function insertAccount(
  db: Database,
  userId: string,
  { provider, subject }: AccountKey,
): Promise<void> {
  await db
    .insertInto('auth_accounts')
    .values({ user_id: userId, provider_id: provider, account_id: subject })
    .execute()
}

/** A password is a separate account row; people of an identity provider have none. */
export async function setPassword(db: Database, userId: string, passwordHash: string): Promise<void> {
  await db
    .insertInto('auth_accounts')
    .values({ user_id: userId, provider_id: 'credential', account_id: userId, password: passwordHash })
    .onConflict((conflict) =>
      conflict
        .columns(['provider_id', 'account_id'])
        .doUpdateSet({ password: passwordHash, updated_at: new Date() }),
    )
    .execute()
}

export async function findPersonByAccount(
  db: Database,
  { provider, subject }: AccountKey,
): Promise<PersonRow | undefined> {
  return db
    .selectFrom('auth_accounts')
    .innerJoin('auth_users', 'auth_users.id', 'auth_accounts.user_id')
    .select(['auth_users.id', 'auth_users.email', 'auth_users.name'])
    .where('provider_id', '=', provider)
    .where('account_id', '=', subject)
    .executeTakeFirst()
}

export type LinkablePerson = PersonRow & { email_verified: boolean; has_account: boolean }

/** Finds the person with an address, and whether they have an account at the provider. */
export async function findPersonToLink(
  db: Database,
  email: string,
  provider: string,
): Promise<LinkablePerson | undefined> {
  const { rows } = await sql<LinkablePerson>`select id, email, name, email_verified,
      exists (select from auth_accounts where user_id = auth_users.id and provider_id = ${provider}) as has_account
    from auth_users where email = ${normalizeEmail(email)} for update`.execute(db)
  return rows[0]
}

/** Blocks other processes from creating or linking this address until the transaction ends. */
export async function lockEmail(db: Database, email: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`email ${normalizeEmail(email)}`}, 0))`.execute(
    db,
  )
}

export async function passwordHashOf(db: Database, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('auth_accounts')
    .select('password')
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .executeTakeFirst()
  return row?.password ?? undefined
}

export async function hasPassword(db: Database, userId: string): Promise<boolean> {
  return (await passwordHashOf(db, userId)) !== undefined
}

export async function renamePerson(db: Database, id: string, name: string): Promise<void> {
  await db.updateTable('auth_users').set({ name, updated_at: new Date() }).where('id', '=', id).execute()
}

/** False if the address is taken. Nothing verifies the new address. */
export async function changeEmailOf(db: Database, id: string, email: string): Promise<boolean> {
  if (await findPerson(db, email)) return false
  return db
    .updateTable('auth_users')
    .set({ email: normalizeEmail(email), email_verified: false, updated_at: new Date() })
    .where('id', '=', id)
    .execute()
    .then(
      () => true,
      (error: unknown) => {
        if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) return false
        throw error
      },
    )
}

const UNIQUE_VIOLATION = '23505'

/** Only while the person still has this address. */
export async function setEmailVerified(
  db: Database,
  { id, email }: PersonRow,
  isVerified: boolean,
): Promise<void> {
  await db
    .updateTable('auth_users')
    .set({ email_verified: isVerified, updated_at: new Date() })
    .where('id', '=', id)
    .where('email', '=', email)
    .where('email_verified', '<>', isVerified)
    .execute()
}

export async function endSessions(db: Database, userId: string, options?: { except: string }): Promise<void> {
  let query = db.deleteFrom('auth_sessions').where('user_id', '=', userId)
  if (options) query = query.where('id', '<>', options.except)
  await query.execute()
}

export async function pruneExpiredSessions(db: Database): Promise<void> {
  await sql`delete from auth_sessions where expires_at < now()`.execute(db)
  await sql`delete from auth_verifications where expires_at < now()`.execute(db)
  await sql`delete from password_resets where expires_at < now()`.execute(db)
}

/** Deletes the password, reset links and sessions of a person. */
export async function deletePassword(db: Database, userId: string): Promise<void> {
  await db
    .deleteFrom('auth_accounts')
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .execute()
  await db.deleteFrom('password_resets').where('user_id', '=', userId).execute()
  await endSessions(db, userId)
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
