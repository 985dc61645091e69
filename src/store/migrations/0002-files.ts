import { type Kysely, sql } from 'kysely'

/**
 * Files come along with pages. What cannot be read for what it is, is remembered in the ledger with its reason, so
 * that it is not fetched in every run; and each document of a run says what could not be taken along with it.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table documents add column skipped jsonb`,
  `alter table job_documents add column warnings jsonb`,
]
