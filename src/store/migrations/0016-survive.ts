import { type Kysely, sql } from 'kysely'

/** What tells a restored database from the one that wrote the index, and what keeps late writes out. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  // A new epoch begins when the server differs from the recorded one.
  `create table ledger_epoch (
    id boolean primary key default true check (id),
    epoch uuid not null default gen_random_uuid(),
    server text not null
  )`,
  // The highest fence that was given to the control document of a workflow, recorded before it is written.
  `create table control_documents (
    workflow_id uuid primary key references workflows on delete cascade,
    fence bigint not null
  )`,
  `create table leases (
    name text collate "C" primary key,
    owner uuid not null,
    until timestamptz not null
  )`,
  // Elements that left an index: for a day they are removed again, because a late write may bring them back.
  `create table removed_elements (
    id bigint generated always as identity primary key,
    workflow_id uuid not null references workflows on delete cascade,
    swap_id uuid references swaps (job_id) on delete cascade,
    record_id text collate "C" not null,
    element_ids text[] not null,
    fence bigint not null,
    removed_at timestamptz not null default now(),
    due_at timestamptz not null default now() + interval '2 minutes'
  )`,
  `create index removed_elements_due on removed_elements (due_at)`,
  `create index removed_elements_record on removed_elements (workflow_id, record_id)`,
  `create index removed_elements_swap on removed_elements (swap_id) where swap_id is not null`,
  `alter table jobs add column settings_hash text`,
]
