import { type Kysely, sql } from 'kysely'

/** For deleting old jobs without a workflow. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  `create index jobs_on_demand on jobs (workspace_id, created_at desc) where job_type in ('ephemeral', 'template')`,
]
