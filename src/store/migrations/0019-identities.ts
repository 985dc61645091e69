import { type Kysely, sql } from 'kysely'

/** Which account a person has in each source, and how tokens of an identity provider name a person. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  `create table identity_settings (
    workspace_id uuid primary key references workspaces on delete cascade,
    issuer text not null,
    audience text not null,
    -- Null: found in the metadata of the issuer.
    jwks_url text,
    claim text not null,
    mapping text not null check (mapping in ('account_id', 'email', 'table')),
    trust_email boolean not null,
    updated_at timestamptz not null default now()
  )`,
  `create table identities (
    id bigint generated always as identity primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    source_id uuid not null references connectors on delete cascade,
    kind text not null check (kind in ('email', 'claim', 'member')),
    -- An address in lower case, the value of a claim, or the id of a member.
    value text collate "C" not null,
    account text collate "C" not null,
    origin text not null check (origin in ('import', 'source', 'link')),
    created_at timestamptz not null default now(),
    unique (source_id, kind, value, account, origin)
  )`,
  `create index on identities (workspace_id, id)`,
  `create index on identities (source_id, account)`,
  // All accounts that the newest complete reading of a source showed.
  `create table source_accounts (
    source_id uuid not null references connectors on delete cascade,
    account text collate "C" not null,
    name text,
    primary key (source_id, account)
  )`,
  `create table identity_fills (
    source_id uuid primary key references connectors on delete cascade,
    -- When the newest attempt began.
    tried_at timestamptz not null,
    read_at timestamptz,
    accounts integer,
    emails integer
  )`,
  `create table unmatched_claims (
    workspace_id uuid not null references workspaces on delete cascade,
    source_id uuid not null references connectors on delete cascade,
    kind text not null check (kind in ('email', 'claim')),
    value text collate "C" not null,
    seen_at timestamptz not null default now(),
    primary key (source_id, kind, value)
  )`,
  `create index on unmatched_claims (workspace_id, seen_at desc)`,
]
