import { type Kysely, sql } from 'kysely'

/** The ledger keeps why a file was skipped, so that no job downloads it again. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table documents add column skipped jsonb`,
  `alter table job_documents add column warnings jsonb`,
]
