import { type Kysely, sql } from 'kysely'

/** What was read from one site or as one account is not stored for another. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  // Grows when the site or the account of a source changes.
  `alter table connectors add column revision integer not null default 0`,
]
