import { type Kysely, sql } from 'kysely'

/** Counts of requests and attempts, and open event streams, over all processes. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

// Unlogged: they last minutes, so a crash may lose them.
const statements = [
  // Names are hashes, because they may contain addresses of people.
  `create unlogged table shared_counts (
    name text collate "C" primary key,
    taken integer not null,
    ends_at timestamptz not null
  )`,
  `create index on shared_counts (ends_at)`,
  `create unlogged table open_streams (
    process uuid not null,
    name text collate "C" not null,
    open integer not null,
    seen_at timestamptz not null,
    primary key (name, process)
  )`,
  `create index on open_streams (process)`,
]
