/** What jobs do, with uploads and verifications. */
export const jobs = [
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
    listed boolean not null default false,
    complete boolean not null default false,
    slices integer not null default 0,
    listing_round integer not null default 0,
    index_identity text,
    message text,
    warnings jsonb not null default '[]',
    held_back integer not null default 0,
    removed integer not null default 0,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    started_by text,
    documents_kept boolean not null default true,
    swap text,
    kind text not null default 'content',
    settings_hash text,
    estimate jsonb,
    error_code text,
    step_ms jsonb not null default '{}'
  )`,
  `create index jobs_on_demand on jobs (workspace_id, created_at desc)
    where job_type in ('ephemeral', 'template')`,
  `create unique index jobs_one_active on jobs (workflow_id, kind)
    where status in ('SCHEDULED', 'IN_PROGRESS')`,
  `create index on jobs (workflow_id, created_at desc)`,
  `create index on jobs (workspace_id, created_at desc)`,
  `create index on jobs (workspace_id, kind, created_at desc)`,
  // Kept by triggers, so that no query counts documents.
  `create table job_counts (
    job_id uuid references jobs on delete cascade,
    state text,
    documents bigint not null default 0,
    processed bigint not null default 0,
    elements bigint not null default 0,
    primary key (job_id, state)
  )`,
  `create table job_documents (
    job_id uuid references jobs on delete cascade,
    record_id text,
    scope text not null,
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
    warnings jsonb,
    task uuid,
    stage text,
    deaths smallint not null default 0,
    primary key (job_id, record_id)
  )`,
  `create index job_documents_claimed on job_documents (job_id, task) where (state = 'in_progress')`,
  `create index on job_documents (job_id, state)`,
  `create table job_scopes (
    job_id uuid references jobs on delete cascade,
    scope text collate "C",
    position text collate "C",
    as_of timestamptz not null,
    unchanged integer not null default 0,
    outdated boolean not null default false,
    ended boolean not null default false,
    up_to text collate "C",
    primary key (job_id, scope)
  )`,
  `create table job_stages (
    job_id uuid references jobs on delete cascade,
    stage text,
    state text,
    documents bigint not null,
    primary key (job_id, stage, state)
  )`,
  // Documents of the ledger that the listing of a job did not show.
  `create table unlisted_documents (
    job_id uuid references jobs on delete cascade,
    record_id text collate "C",
    primary key (job_id, record_id)
  )`,
  `create table task_turns (
    queue text,
    flow text,
    turn integer not null,
    used_at timestamptz not null default now(),
    primary key (queue, flow)
  )`,
  `create table periodic_tasks (
    name text primary key,
    began_at timestamptz not null
  )`,
  `create table uploads (
    job_id uuid references jobs on delete cascade,
    file_id uuid,
    place integer not null,
    filename text not null,
    content bytea,
    primary key (job_id, file_id)
  )`,
  `create index uploads_waiting on uploads (job_id) where (content is not null)`,
  `create table outputs (
    job_id uuid,
    file_id uuid,
    node_id uuid,
    place integer not null,
    elements bytea not null,
    created_at timestamptz not null default now(),
    workspace_id uuid,
    primary key (job_id, file_id, node_id),
    foreign key (job_id, file_id) references uploads (job_id, file_id) on delete cascade
  )`,
  `create index on outputs (created_at)`,
  `create index on outputs (workspace_id, created_at)`,
  `create table upload_usage (
    workspace_id uuid primary key references workspaces on delete cascade,
    output_bytes bigint not null default 0
  )`,
  `create table verifications (
    job_id uuid primary key references jobs on delete cascade,
    repairs boolean not null,
    approved boolean not null,
    phase text not null default 'ledger',
    cursor text,
    revision integer not null default 0,
    documents_total bigint not null default 0,
    documents_compared bigint not null default 0,
    elements_listed bigint not null default 0,
    foreign_elements bigint not null default 0,
    removed_elements bigint not null default 0,
    findings bigint not null default 0,
    repair_jobs jsonb not null default '[]',
    waits_for uuid,
    error_code text,
    audited boolean not null default false
  )`,
  `create table verification_scopes (
    job_id uuid references jobs on delete cascade,
    scope_key text collate "C",
    site text collate "C",
    documents bigint not null,
    elements bigint not null,
    missing bigint not null,
    different bigint not null,
    extra bigint not null,
    ledger_sum numeric not null,
    index_sum numeric not null,
    primary key (job_id, scope_key, site)
  )`,
  // Documents that differ, until they are confirmed, repaired or reported.
  `create table verification_differences (
    job_id uuid references jobs on delete cascade,
    record_id text collate "C",
    ledger text collate "C",
    scope_key text collate "C" not null,
    totals jsonb not null,
    findings jsonb not null,
    primary key (job_id, record_id, ledger)
  )`,
  `create unlogged table job_rates (
    job_id uuid,
    slot smallint,
    began bigint not null,
    documents bigint not null,
    elements bigint not null,
    primary key (job_id, slot)
  )`,
]
