/** Connectors, who their people are, and what models answered. */
export const connectors = [
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
    revision integer not null default 0,
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
  // All accounts that the newest complete reading of a source showed.
  `create table source_accounts (
    source_id uuid references connectors on delete cascade,
    account text collate "C",
    name text,
    primary key (source_id, account)
  )`,
  `create table source_decisions (
    source_id uuid references connectors on delete cascade,
    scope text collate "C",
    key text collate "C",
    value jsonb not null,
    checked_at timestamptz not null,
    primary key (source_id, scope, key)
  )`,
  `create table identities (
    id bigint primary key generated always as identity,
    workspace_id uuid not null references workspaces on delete cascade,
    source_id uuid not null references connectors on delete cascade,
    kind text not null check (kind in ('email', 'claim', 'member')),
    value text collate "C" not null,
    account text collate "C" not null,
    origin text not null check (origin in ('import', 'source', 'link')),
    created_at timestamptz not null default now(),
    unique (source_id, kind, value, account, origin)
  )`,
  `create index on identities (source_id, account)`,
  `create index on identities (workspace_id, id)`,
  `create table identity_fills (
    source_id uuid primary key references connectors on delete cascade,
    tried_at timestamptz not null,
    read_at timestamptz,
    accounts integer,
    emails integer
  )`,
  `create table identity_settings (
    workspace_id uuid primary key references workspaces on delete cascade,
    issuer text not null,
    audience text not null,
    jwks_url text,
    claim text not null,
    mapping text not null check (mapping in ('account_id', 'email', 'table')),
    trust_email boolean not null,
    updated_at timestamptz not null default now()
  )`,
  `create table unmatched_claims (
    workspace_id uuid not null references workspaces on delete cascade,
    source_id uuid references connectors on delete cascade,
    kind text check (kind in ('email', 'claim')),
    value text collate "C",
    seen_at timestamptz not null default now(),
    primary key (source_id, kind, value)
  )`,
  `create index on unmatched_claims (workspace_id, seen_at desc)`,
  // Groups and classes of people, so that search works while a source is unreachable.
  `create table memberships (
    source_id uuid references connectors on delete cascade,
    person text,
    known jsonb not null,
    read_at timestamptz not null,
    used_on date not null default CURRENT_DATE,
    primary key (source_id, person)
  )`,
  `create table principal_names (
    workspace_id uuid references workspaces on delete cascade,
    site text collate "C",
    kind text,
    id text collate "C",
    name text,
    read_at timestamptz not null,
    primary key (workspace_id, site, kind, id)
  )`,
  `create index on principal_names (read_at)`,
  `create table site_pauses (
    site text collate "C" primary key,
    reason text not null,
    until timestamptz not null
  )`,
  `create table model_answers (
    key bytea primary key,
    answer text not null,
    used_on date not null default CURRENT_DATE
  )`,
  `create table model_tokens (
    workspace_id uuid references workspaces on delete cascade,
    day date,
    tokens bigint not null,
    primary key (workspace_id, day)
  )`,
  `create unlogged table embeddings (
    key bytea primary key,
    vector bytea not null,
    used_on date not null default CURRENT_DATE
  )`,
  `create index on embeddings (used_on)`,
  `create unlogged table site_leases (
    site text collate "C",
    process uuid,
    wanted integer not null,
    granted integer not null,
    seen_at timestamptz not null,
    primary key (site, process)
  )`,
]
