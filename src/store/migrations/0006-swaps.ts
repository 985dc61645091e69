import { type Kysely, sql } from 'kysely'

/**
 * A job may fill a new index behind an alias. Its ledger, `staged_documents`, replaces the workflow's when the
 * alias moves.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table workflows add column swap_index boolean not null default false`,
  // The index of the ledger; null until the next job.
  `alter table workflows add column index_name text`,
  `alter table workflows add column index_uuid text`,
  `alter table workflows add column swap_given_up jsonb`,
  `alter table jobs add column swap text`,
  `create table swaps (
    job_id uuid primary key,
    workflow_id uuid not null unique references workflows on delete cascade,
    destination_id uuid not null,
    index_name text not null,
    index_uuid text,
    old_name text not null,
    old_uuid text not null,
    settings_hash text not null,
    created_at timestamptz not null default now()
  )`,
  // A new column of \`documents\` is needed here too: rows are copied over.
  `create table staged_documents (like documents including defaults)`,
  `alter table staged_documents rename column workflow_id to swap_id`,
  `alter table staged_documents add primary key (swap_id, record_id)`,
  `alter table staged_documents add foreign key (swap_id) references swaps on delete cascade`,
  // Indexes that a swap replaced; only these may be deleted.
  `create table replaced_indexes (
    destination_id uuid not null references connectors on delete cascade,
    name text not null,
    uuid text not null,
    workflow_id uuid not null references workflows on delete cascade,
    replaced_at timestamptz not null default now(),
    primary key (destination_id, name)
  )`,
]
