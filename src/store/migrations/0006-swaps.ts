import { type Kysely, sql } from 'kysely'

/**
 * A run may fill a new index behind an alias. While it does, what it has written stands in a ledger of its own, which
 * takes the place of the workflow's in the moment the alias moves. One at a time: `swaps` has a row for each workflow
 * at most. `documents` stays what it was, the ledger of what is searched, so that whoever reads it knows no other.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table workflows add column swap_index boolean not null default false`,
  // The index its ledger is of; null until a run after this migration has looked.
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
  // A column that \`documents\` gets has to come here too: rows are moved over as they are.
  `create table staged_documents (like documents including defaults)`,
  `alter table staged_documents rename column workflow_id to swap_id`,
  `alter table staged_documents add primary key (swap_id, record_id)`,
  `alter table staged_documents add foreign key (swap_id) references swaps on delete cascade`,
  // What a swap took out of people's sight, so that exactly these may be deleted.
  `create table replaced_indexes (
    destination_id uuid not null references connectors on delete cascade,
    name text not null,
    uuid text not null,
    workflow_id uuid not null references workflows on delete cascade,
    replaced_at timestamptz not null default now(),
    primary key (destination_id, name)
  )`,
]
