import { type Kysely, sql } from 'kysely'

/** Tokens that workspaces sent to models, by day in UTC. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  `create table model_tokens (
    workspace_id uuid not null references workspaces on delete cascade,
    day date not null,
    tokens bigint not null,
    primary key (workspace_id, day)
  )`,
]
