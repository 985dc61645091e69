/** People, workspaces, keys and what they did. */
export const accounts = [
  `create table organisations (
    id uuid primary key,
    tier text not null check (tier in ('personal', 'business')),
    name text,
    created_at timestamptz not null default now(),
    check ((tier = 'business') = (name is not null))
  )`,
  `create table workspaces (
    id uuid primary key,
    name text not null,
    created_at timestamptz not null default now(),
    organisation_id uuid references organisations on delete cascade,
    admits_readers boolean not null default false,
    closed_at timestamptz
  )`,
  `create table auth_users (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    email text not null unique,
    email_verified boolean not null default false,
    image text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create table organisation_members (
    organisation_id uuid references organisations on delete cascade,
    user_id uuid references auth_users on delete cascade,
    is_administrator boolean not null,
    primary key (organisation_id, user_id)
  )`,
  `create index on organisation_members (user_id)`,
  `create table workspace_members (
    workspace_id uuid references workspaces on delete cascade,
    user_id uuid references auth_users on delete cascade,
    role text not null check (role in ('reader', 'viewer', 'operator', 'developer', 'administrator')),
    joined_at timestamptz not null default now(),
    primary key (workspace_id, user_id)
  )`,
  `create index on workspace_members (user_id)`,
  // One row per way to sign in. The token columns stay empty.
  `create table auth_accounts (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references auth_users on delete cascade,
    provider_id text not null,
    account_id text not null,
    password text,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at timestamptz,
    refresh_token_expires_at timestamptz,
    scope text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (provider_id, account_id)
  )`,
  `create index on auth_accounts (user_id)`,
  `create table auth_sessions (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null references auth_users on delete cascade,
    token text not null unique,
    ip_address text,
    user_agent text,
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index on auth_sessions (user_id)`,
  `create table auth_verifications (
    id uuid primary key default gen_random_uuid(),
    identifier text not null,
    value text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index on auth_verifications (identifier)`,
  `create table api_keys (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    name text not null,
    sealed bytea,
    lookup text not null unique,
    last_four text not null,
    enabled boolean not null default true,
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    created_by uuid references auth_users on delete set null,
    scope text not null default 'full' check (scope in ('full', 'search')),
    destination_ids uuid[] not null default '{}',
    may_impersonate boolean not null default false,
    expires_at timestamptz,
    person_id uuid references auth_users on delete cascade,
    constraint api_keys_personal check ((person_id is null) or ((not may_impersonate) and (expires_at is not null))),
    constraint api_keys_scope_limits check ((scope = 'search') or ((destination_ids = '{}') and (not may_impersonate) and (person_id is null)))
  )`,
  `create index on api_keys (person_id) where (person_id is not null)`,
  `create index on api_keys (workspace_id)`,
  // Copies for a short undo. Unlogged, so that no backup holds what was deleted; without references, because a
  // restore empties only the tables that a backup holds.
  `create unlogged table deleted_rows (
    id uuid primary key,
    workspace_id uuid not null,
    taken_from text not null,
    content jsonb not null,
    deleted_by text not null,
    deleted_at timestamptz not null default now()
  )`,
  `create table invitations (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    email text not null,
    role text not null check (role in ('reader', 'viewer', 'operator', 'developer', 'administrator')),
    token_hash text not null unique,
    invited_by uuid references auth_users on delete set null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    unique (workspace_id, email)
  )`,
  `create index on invitations (email)`,
  `create table password_resets (
    token_hash text primary key,
    user_id uuid not null unique references auth_users on delete cascade,
    made_by uuid references auth_users on delete cascade,
    expires_at timestamptz not null
  )`,
  // Every process without people prints its own link; using one removes all.
  `create table setup_links (
    token_hash text primary key,
    expires_at timestamptz not null
  )`,
  `create table audit (
    id bigint primary key generated always as identity,
    workspace_id uuid not null references workspaces on delete cascade,
    at timestamptz not null default now(),
    actor text not null,
    action text not null,
    subject jsonb not null
  )`,
  `create index audit_action on audit (workspace_id, action, at desc, id desc)`,
  `create index audit_actor on audit (workspace_id, actor, at desc, id desc)`,
  // Small, because entries are stored in the order of time.
  `create index audit_at on audit using brin (at) with (pages_per_range = 32)`,
  `create index audit_newest on audit (workspace_id, at desc, id desc)`,
  `create index on audit (workspace_id, id desc)`,
  // One row; proves at every start that the master key matches the sealed secrets.
  `create table installation (
    id boolean primary key default true check (id),
    key_check text not null,
    derived_keys bytea
  )`,
  // Named keys that values may be sealed with. A process without one of them does not start.
  `create table master_keys (
    id text primary key,
    key_check text not null,
    created_at timestamptz not null default now()
  )`,
  // Running processes and the key that each seals with.
  `create table master_key_holders (
    id uuid primary key,
    process text not null,
    key_check text not null,
    seen_at timestamptz not null default now()
  )`,
  // Unlogged: they last minutes, so a crash may lose them. Names are hashes, because they may contain addresses of people.
  `create unlogged table shared_counts (
    name text collate "C" primary key,
    taken integer not null,
    ends_at timestamptz not null
  )`,
  `create index on shared_counts (ends_at)`,
  `create unlogged table open_streams (
    process uuid,
    name text collate "C",
    open integer not null,
    seen_at timestamptz not null,
    primary key (name, process)
  )`,
  `create index on open_streams (process)`,
]
