import { type Kysely, sql } from 'kysely'

/** `made_by` is null for links created on the server. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table password_resets (
    token_hash text primary key,
    user_id uuid not null unique references auth_users on delete cascade,
    made_by uuid references auth_users on delete cascade,
    expires_at timestamptz not null
  )`,
]
