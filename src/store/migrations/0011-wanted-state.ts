import { type Kysely, sql } from 'kysely'

/**
 * `wanted_documents` is what the index should hold, by the newest listing; `documents` is what was written. Documents
 * below the same permission levels share a row of `permission_sets`, so a revocation changes one row.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  // What was written: null in rows of earlier releases, until the next permission pass compares them.
  ...['documents', 'staged_documents'].flatMap((table) => [
    `alter table ${table} add column access_hash text`,
    `alter table ${table} add column about_hash text`,
    // Documents that a task was writing when it died.
    `create index ${table}_unsettled on ${table} (updated_at) where not settled and access_hash is null`,
  ]),
  `create table permission_sets (
    id bigint generated always as identity primary key,
    workflow_id uuid not null references workflows on delete cascade,
    key text collate "C" not null,
    access jsonb not null,
    hash text not null,
    revision bigint not null default 1,
    -- All documents of the set hold this revision in the index.
    written_revision bigint not null default 1,
    -- When reading of these permissions began.
    as_of timestamptz not null,
    unique (workflow_id, key)
  )`,
  `create index permission_sets_unwritten on permission_sets (workflow_id) where revision > written_revision`,
  `create table wanted_documents (
    workflow_id uuid not null references workflows on delete cascade,
    record_id text collate "C" not null,
    scope text collate "C" not null,
    position text collate "C" not null,
    version text not null,
    -- Everything but body and permissions.
    ref jsonb not null,
    about_hash text not null,
    set_id bigint not null references permission_sets,
    -- Why no one may find it.
    hidden text,
    -- Whether the index may hold other permissions, apart from unwritten sets.
    differs boolean not null default false,
    -- When it was read apart from its scope; older listings do not change its permissions.
    relisted_at timestamptz,
    primary key (workflow_id, record_id)
  )`,
  `create index wanted_documents_scope on wanted_documents (workflow_id, scope, position)`,
  `create index wanted_documents_set on wanted_documents (set_id, record_id)`,
  `create index wanted_documents_differs on wanted_documents (workflow_id, record_id) where differs`,
  `create table workflow_scopes (
    workflow_id uuid not null references workflows on delete cascade,
    scope text collate "C" not null,
    -- When the newest listing of the scope began; older listings change no permissions.
    listed_at timestamptz not null,
    -- When the newest listing that reached the end of the scope began.
    proved_at timestamptz,
    -- When its documents were hidden in the index for their age.
    hidden_at timestamptz,
    -- False until a listing filled wanted_documents; the index decides until then.
    covered boolean not null default true,
    primary key (workflow_id, scope)
  )`,
  `insert into workflow_scopes (workflow_id, scope, listed_at, proved_at, covered)
    select distinct d.workflow_id, d.scope, to_timestamp(0), now(), false
    from documents as d join workflows as w on w.id = d.workflow_id where w.deleted_at is null`,
  `alter table workflows add column permissions_minutes integer default 15`,
  `alter table workflows add column max_permission_age_hours double precision default 24`,
  `alter table workflows add column hide_in_index_after_hours double precision`,
  // When the next permission pass starts; workflows with documents get one at once.
  `alter table workflows add column permissions_due_at timestamptz not null default now() + interval '15 minutes'`,
  // A pass is due at once, whatever the schedule.
  `alter table workflows add column pass_requested boolean not null default false`,
  `update workflows set permissions_due_at = now() where id in (select workflow_id from workflow_scopes)`,
  `alter table jobs add column kind text not null default 'content'`,
  `drop index jobs_one_active`,
  `create unique index jobs_one_active on jobs (workflow_id, kind) where status in ('SCHEDULED', 'IN_PROGRESS')`,
  `create index on jobs (workspace_id, kind, created_at desc)`,
  // Groups and classes of people, so that search works while a source is unreachable.
  `create table memberships (
    source_id uuid not null references connectors on delete cascade,
    person text not null,
    known jsonb not null,
    read_at timestamptz not null,
    used_on date not null default current_date,
    primary key (source_id, person)
  )`,
]
