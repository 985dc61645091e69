import { type Kysely, sql } from 'kysely'

/** How often the process of a task died while it processed a document. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  `alter table job_documents add column deaths smallint not null default 0`,
]
