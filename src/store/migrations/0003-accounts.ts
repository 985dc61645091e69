import { type Kysely, sql } from 'kysely'

/**
 * The `auth_` tables belong to the identity library (see src/accounts/identity.ts). Administrators of an
 * organisation have no role in its workspaces.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const roles = `('viewer', 'operator', 'developer', 'administrator')`

const statements = [
  `create table auth_users (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    email text not null unique,
    email_verified boolean not null default false,
    image text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
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
  `create table auth_verifications (
    id uuid primary key default gen_random_uuid(),
    identifier text not null,
    value text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index on auth_verifications (identifier)`,

  `create table organisations (
    id uuid primary key,
    tier text not null check (tier in ('personal', 'business')),
    name text,
    created_at timestamptz not null default now(),
    check ((tier = 'business') = (name is not null))
  )`,
  `create table organisation_members (
    organisation_id uuid not null references organisations on delete cascade,
    user_id uuid not null references auth_users on delete cascade,
    is_administrator boolean not null,
    primary key (organisation_id, user_id)
  )`,
  `create index on organisation_members (user_id)`,
  // Null until set-up; the first person gets the existing workspace with its keys.
  `alter table workspaces add column organisation_id uuid references organisations on delete cascade`,
  `create table workspace_members (
    workspace_id uuid not null references workspaces on delete cascade,
    user_id uuid not null references auth_users on delete cascade,
    role text not null check (role in ${roles}),
    joined_at timestamptz not null default now(),
    primary key (workspace_id, user_id)
  )`,
  `create index on workspace_members (user_id)`,
  `create table invitations (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    email text not null,
    role text not null check (role in ${roles}),
    token_hash text not null unique,
    invited_by uuid references auth_users on delete set null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    unique (workspace_id, email)
  )`,
  `create index on invitations (email)`,
  // Every process without people prints its own link; using one removes all.
  `create table setup_links (
    token_hash text primary key,
    expires_at timestamptz not null
  )`,
  `alter table api_keys add column created_by uuid references auth_users on delete set null`,
  `create index on api_keys (workspace_id)`,
  `create index on audit (workspace_id, id desc)`,
]
