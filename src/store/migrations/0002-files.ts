import { type Kysely, sql } from 'kysely'

/** The reason for skipping a file is kept, so that it is not downloaded again. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table documents add column skipped jsonb`,
  `alter table job_documents add column warnings jsonb`,
]
