import { type Kysely, sql } from 'kysely'

/** Several master keys, and which processes have which. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  // Sealed; what lookups and passwords depend on, once it no longer follows from the master key.
  `alter table installation add column derived_keys bytea`,
  // Named keys that values may be sealed with. A process without one of them does not start.
  `create table master_keys (
    id text primary key,
    key_check text not null,
    created_at timestamptz not null default now()
  )`,
  // Running processes and the key that each seals with.
  `create table master_key_holders (
    id uuid primary key,
    process text not null,
    key_check text not null,
    seen_at timestamptz not null default now()
  )`,
]
