import { type Kysely, sql } from 'kysely'

/** The last versions of each document, with the permissions that they had. Holds no text. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  // Permissions as they were written; documents and versions share a row.
  `create table past_permissions (
    id bigint generated always as identity primary key,
    workflow_id uuid not null references workflows on delete cascade,
    -- Names the levels, like the key of a permission set.
    key text collate "C" not null,
    hash text not null,
    clauses jsonb not null,
    unique (workflow_id, key, hash)
  )`,
  `create table document_versions (
    id bigint generated always as identity,
    workflow_id uuid not null references workflows on delete cascade,
    record_id text collate "C" not null,
    version text not null,
    permissions_id bigint not null references past_permissions on delete cascade,
    -- A hash of scope and ancestors.
    place text not null,
    job_id uuid,
    seen_at timestamptz not null default now(),
    primary key (workflow_id, record_id, id)
  )`,
  `create index document_versions_permissions on document_versions (permissions_id)`,
]
