import { type Kysely, sql } from 'kysely'

/** The requests to a site are divided between processes; a refusal pauses all of them. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Leases last 15 seconds, so a crash may lose them.
  `create unlogged table site_leases (
    site text collate "C" not null,
    process uuid not null,
    wanted integer not null,
    granted integer not null,
    seen_at timestamptz not null,
    primary key (site, process)
  )`,
  `create table site_pauses (
    site text collate "C" primary key,
    reason text not null,
    until timestamptz not null
  )`,
]
