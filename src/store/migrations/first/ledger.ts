/** What each workflow wants in its index, and what it has written there. */
export const ledger = [
  `create table workflows (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    name text not null,
    source_id uuid references connectors,
    destination_id uuid references connectors,
    workflow_type text not null,
    nodes jsonb not null,
    schedule text,
    reprocess_all boolean not null,
    state text not null,
    target text,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    deleted_at timestamptz,
    swap_index boolean not null default false,
    ledger_id uuid not null unique default gen_random_uuid(),
    swap_given_up jsonb,
    permissions_minutes integer default 15,
    max_permission_age_hours double precision default 24,
    hide_in_index_after_hours double precision,
    permissions_due_at timestamptz not null default (now() + interval '15 minutes'),
    pass_requested boolean not null default false,
    schedule_timezone text not null default 'UTC',
    next_run_at timestamptz,
    estimate jsonb
  )`,
  `create unique index workflows_name on workflows (workspace_id, name) where (deleted_at is null)`,
  `create index workflows_next_run on workflows (next_run_at)
    where ((schedule is not null) and (deleted_at is null))`,
  // Each describes one index: the searched one, a staged one, or one that a swap replaced and that may be deleted.
  `create table ledgers (
    id uuid primary key default gen_random_uuid(),
    workflow_id uuid not null references workflows on delete cascade,
    index_name text,
    index_uuid text,
    replaced_at timestamptz,
    destination_id uuid references connectors on delete cascade
  )`,
  `create index ledgers_workflow on ledgers (workflow_id)`,
  `create index ledgers_index on ledgers (index_uuid)`,
  `create unique index ledgers_replaced on ledgers (destination_id, index_name)
    where (destination_id is not null)`,
  // A foreign key of \`workflows.ledger_id\` would be a circle, so this makes sure that the ledger exists.
  `create function add_ledger() returns trigger language plpgsql as $$
  begin
    insert into ledgers (id, workflow_id) values (new.ledger_id, new.id);
    return null;
  end $$`,
  `create trigger workflows_ledger after insert on workflows for each row execute function add_ledger()`,
  `create table swaps (
    job_id uuid primary key,
    workflow_id uuid not null unique references workflows on delete cascade,
    ledger_id uuid not null unique references ledgers on delete cascade,
    destination_id uuid not null,
    settings_hash text not null,
    created_at timestamptz not null default now(),
    moving_at timestamptz
  )`,
  // Grows with every task; see src/store/ledger/fences.ts.
  `create table fences (
    id boolean primary key default true check (id),
    value bigint not null
  )`,
  `insert into fences (value) values (0)`,
  `create table leases (
    name text collate "C" primary key,
    owner uuid not null,
    until timestamptz not null
  )`,
  // A new epoch begins when the server differs from the recorded one.
  `create table ledger_epoch (
    id boolean primary key default true check (id),
    epoch uuid not null default gen_random_uuid(),
    server text not null
  )`,
  `create table permission_sets (
    id bigint primary key generated always as identity,
    workflow_id uuid not null references workflows on delete cascade,
    key text collate "C" not null,
    access jsonb not null,
    hash text not null,
    revision bigint not null default 1,
    written_revision bigint not null default 1,
    as_of timestamptz not null,
    unique (workflow_id, key)
  )`,
  `create index permission_sets_unwritten on permission_sets (workflow_id)
    where (revision > written_revision)`,
  // Permissions as they were written; documents and versions share a row.
  `create table past_permissions (
    id bigint primary key generated always as identity,
    workflow_id uuid not null references workflows on delete cascade,
    key text collate "C" not null,
    hash text not null,
    levels jsonb not null,
    unique (workflow_id, key, hash)
  )`,
  `create table documents (
    ledger_id uuid references ledgers on delete cascade,
    record_id text,
    scope text not null,
    position text not null,
    locator jsonb not null,
    version text not null,
    state_hash text not null,
    settings_hash text not null,
    element_ids text[] not null,
    settled boolean not null,
    fence bigint not null,
    updated_at timestamptz not null default now(),
    skipped jsonb,
    access_hash text,
    metadata_hash text,
    primary key (ledger_id, record_id)
  )`,
  `create index documents_unsettled on documents (updated_at)
    where ((not settled) and (access_hash is null))`,
  `create table document_versions (
    id bigint generated always as identity,
    workflow_id uuid references workflows on delete cascade,
    record_id text collate "C",
    version text not null,
    permissions_id bigint not null references past_permissions on delete cascade,
    place text not null,
    job_id uuid,
    seen_at timestamptz not null default now(),
    primary key (workflow_id, record_id, id)
  )`,
  `create index document_versions_permissions on document_versions (permissions_id)`,
  `create table workflow_scopes (
    workflow_id uuid references workflows on delete cascade,
    scope text collate "C",
    listed_at timestamptz not null,
    proved_at timestamptz,
    hidden_at timestamptz,
    primary key (workflow_id, scope)
  )`,
  // Elements that left an index: for a day they are removed again, because a late write may bring them back.
  `create table removed_elements (
    id bigint primary key generated always as identity,
    ledger_id uuid not null references ledgers on delete cascade,
    record_id text collate "C" not null,
    element_ids text[] not null,
    fence bigint not null,
    removed_at timestamptz not null default now(),
    due_at timestamptz not null default (now() + interval '2 minutes')
  )`,
  `create index removed_elements_due on removed_elements (due_at)`,
  `create index removed_elements_record on removed_elements (ledger_id, record_id)`,
  `create table wanted_documents (
    workflow_id uuid references workflows on delete cascade,
    record_id text collate "C",
    scope text collate "C" not null,
    position text collate "C" not null,
    version text not null,
    ref jsonb not null,
    metadata_hash text not null,
    set_id bigint not null references permission_sets,
    hidden text,
    needs_permission_write boolean not null default false,
    relisted_at timestamptz,
    primary key (workflow_id, record_id)
  )`,
  `create index wanted_documents_unwritten on wanted_documents (workflow_id, record_id) where needs_permission_write`,
  `create index wanted_documents_scope on wanted_documents (workflow_id, scope, "position")`,
  `create index wanted_documents_set on wanted_documents (set_id, record_id)`,
  // The highest fence that was given to the control document of a workflow, recorded before it is written.
  `create table control_documents (
    workflow_id uuid primary key references workflows on delete cascade,
    fence bigint not null
  )`,
]
