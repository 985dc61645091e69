import { type Kysely, sql } from 'kysely'

/** Reading the audit log by time, actor and action without a scan, and deleting old entries. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  `create index audit_newest on audit (workspace_id, at desc, id desc)`,
  `create index audit_actor on audit (workspace_id, actor, at desc, id desc)`,
  `create index audit_action on audit (workspace_id, action, at desc, id desc)`,
  // Small, because entries are stored in the order of time.
  `create index audit_at on audit using brin (at) with (pages_per_range = 32)`,
]
