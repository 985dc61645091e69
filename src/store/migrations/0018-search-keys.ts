import { type Kysely, sql } from 'kysely'

/** Search keys, personal tokens and the role `reader`. Existing keys keep their scope. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const roles = `('reader', 'viewer', 'operator', 'developer', 'administrator')`

const statements = [
  `set local lock_timeout = '30s'`,
  `alter table api_keys
    add column scope text not null default 'full' check (scope in ('full', 'search')),
    -- Empty: all destinations of the workspace.
    add column destination_ids uuid[] not null default '{}',
    add column may_impersonate boolean not null default false,
    add column expires_at timestamptz,
    -- Set for a personal token, which searches only as this person.
    add column person_id uuid references auth_users on delete cascade,
    -- Null for personal tokens, which are shown once.
    alter column sealed drop not null,
    add constraint api_keys_scope_limits check (scope = 'search'
      or (destination_ids = '{}' and not may_impersonate and person_id is null)),
    add constraint api_keys_personal check (person_id is null or (not may_impersonate and expires_at is not null))`,
  `create index on api_keys (person_id) where person_id is not null`,
  // Whether people who sign in with the identity provider join as readers.
  `alter table workspaces add column admits_readers boolean not null default false`,
  `alter table workspace_members drop constraint workspace_members_role_check,
    add constraint workspace_members_role_check check (role in ${roles})`,
  `alter table invitations drop constraint invitations_role_check,
    add constraint invitations_role_check check (role in ${roles})`,
]
