import { type Kysely, sql } from 'kysely'

/** Display names of people and groups, so that a page shows names without asking the source. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  `create table principal_names (
    workspace_id uuid not null references workspaces on delete cascade,
    site text collate "C" not null,
    kind text not null,
    id text collate "C" not null,
    -- Null if the source has no name for it.
    name text,
    read_at timestamptz not null,
    primary key (workspace_id, site, kind, id)
  )`,
  `create index on principal_names (read_at)`,
]
