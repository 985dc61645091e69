import { type Kysely, sql } from 'kysely'

/** Workflows keep their time zone, the time of their next run and its estimate. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  `alter table workflows add column schedule_timezone text not null default 'UTC',
    add column next_run_at timestamptz, add column estimate jsonb`,
  // The estimate that the job started with.
  `alter table jobs add column estimate jsonb`,
  `create index workflows_next_run on workflows (next_run_at) where schedule is not null and deleted_at is null`,
]
