import { type Kysely, sql } from 'kysely'

/** Ended jobs keep their document counts, so that lists of jobs count no documents. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table jobs add column started_by text`,
  `alter table jobs add column counts jsonb`,
  `alter table jobs add column documents_kept boolean not null default true`,
  `create index on jobs (workflow_id, created_at desc)`,
  `create index jobs_uncounted on jobs (finished_at) where counts is null`,
]
