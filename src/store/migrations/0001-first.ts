import { type Kysely, sql } from 'kysely'

/**
 * `documents` is the ledger: what each workflow has written to its index. `job_documents` is what one job did;
 * rows with the same `slice` number form a slice.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // One row; proves at every start that the master key matches the sealed secrets.
  `create table installation (
    id boolean primary key default true check (id),
    key_check text not null
  )`,
  `create table workspaces (
    id uuid primary key,
    name text not null,
    created_at timestamptz not null default now()
  )`,
  `create table api_keys (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    name text not null,
    sealed bytea not null,
    lookup text not null unique,
    last_four text not null,
    enabled boolean not null default true,
    created_at timestamptz not null default now(),
    last_used_at timestamptz
  )`,
  `create table connectors (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    kind text not null check (kind in ('source', 'destination')),
    type text not null,
    name text not null,
    config jsonb not null,
    secrets bytea,
    wire jsonb not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz,
    unique (workspace_id, kind, name)
  )`,
  `create table connection_checks (
    id uuid primary key,
    connector_id uuid not null references connectors on delete cascade,
    status text not null,
    reason text,
    steps jsonb not null default '[]',
    created_at timestamptz not null default now(),
    reported_at timestamptz
  )`,
  `create index on connection_checks (connector_id, created_at desc)`,
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
    deleted_at timestamptz
  )`,
  `create unique index workflows_name on workflows (workspace_id, name) where deleted_at is null`,
  // Jobs outlive their workflow, so there is no foreign key.
  `create table jobs (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    workflow_id uuid not null,
    workflow_name text not null,
    status text not null,
    processing_status text not null,
    job_type text not null,
    settings jsonb not null,
    closed_scopes jsonb not null default '{}',
    listed boolean not null default false,
    complete boolean not null default false,
    slices integer not null default 0,
    looks integer not null default 0,
    index_identity text,
    message text,
    warnings jsonb not null default '[]',
    held_back integer not null default 0,
    removed integer not null default 0,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz
  )`,
  // One active job per workflow.
  `create unique index jobs_one_active on jobs (workflow_id) where status in ('SCHEDULED', 'IN_PROGRESS')`,
  `create index on jobs (workspace_id, created_at desc)`,
  `create table job_documents (
    job_id uuid not null references jobs on delete cascade,
    record_id text not null,
    scope text not null,
    slice integer,
    state text not null,
    kind text not null,
    ref jsonb,
    fence bigint,
    seen_at timestamptz not null default now(),
    title text not null,
    url text not null,
    attempts integer not null default 0,
    error_code text,
    error_message text,
    elements integer,
    updated_at timestamptz not null default now(),
    primary key (job_id, record_id)
  )`,
  `create index on job_documents (job_id, slice) where slice is not null`,
  `create index on job_documents (job_id, state)`,
  `create table documents (
    workflow_id uuid not null references workflows on delete cascade,
    record_id text not null,
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
    primary key (workflow_id, record_id)
  )`,
  // Grows with every task; see src/store/ledger/fences.ts.
  `create table fences (
    id boolean primary key default true check (id),
    value bigint not null
  )`,
  `insert into fences (value) values (0)`,
  // A cache, so losing it in a crash costs only time.
  `create unlogged table embeddings (
    key bytea primary key,
    vector bytea not null,
    used_on date not null default current_date
  )`,
  `create index on embeddings (used_on)`,
  `create table audit (
    id bigint generated always as identity primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    at timestamptz not null default now(),
    actor text not null,
    action text not null,
    subject jsonb not null
  )`,
]
