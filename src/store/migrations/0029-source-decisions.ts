import { type Kysely, sql } from 'kysely'

/** What a source decided about permissions with many requests; it proves the decisions again from time to time. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  `create table source_decisions (
    source_id uuid not null references connectors on delete cascade,
    -- Empty for decisions about the whole source.
    scope text collate "C" not null,
    key text collate "C" not null,
    value jsonb not null,
    checked_at timestamptz not null,
    primary key (source_id, scope, key)
  )`,
]
