export type { Job, Workflow } from '../../../packages/millrace-client/src/schema.ts'

export type Role = 'reader' | 'viewer' | 'operator' | 'developer' | 'administrator'

export type Workspace = { id: string; name: string; role: Role; admits_readers: boolean }

export type Session = {
  user: { id: string; email: string; name: string }
  tier: 'personal' | 'business'
  organisation: { id: string; name: string } | null
  is_organisation_administrator: boolean
  workspaces: Workspace[]
}

export type SetupState = { needed: boolean; oidc: boolean }

export type Invitation = { workspace: string; organisation: string | null; email: string; role: Role }

export type ApiKey = {
  id: string
  name: string
  last_four: string
  created_by: { id: string; name: string } | null
  created_at: string
  last_used_at: string | null
  enabled: boolean
  scope: 'full' | 'search'
  destination_ids: string[]
  may_impersonate: boolean
  expires_at: string | null
}

/** A token with which a person searches as themselves. */
export type PersonalToken = {
  id: string
  name: string
  last_four: string
  person: { id: string; name: string }
  destination_ids: string[]
  created_at: string
  expires_at: string
  last_used_at: string | null
  enabled: boolean
}

/** A destination that members can search. */
export type SearchDestination = {
  id: string
  name: string
  sandbox: boolean
  last_written_at: string | null
}

export type Member = { user_id: string; email: string; name: string; role: Role; joined_at: string }

/** Enabled keys of a member, per workspace. */
export type WorkingKeys = { workspace_id: string; workspace: string; keys: number }

export type PendingInvitation = {
  id: string
  email: string
  role: Role
  invited_by: { id: string; name: string } | null
  expires_at: string
}

export type AuditPage = {
  items: {
    id: string
    at: string
    actor: string
    actor_name: string | null
    action: string
    /** Ids and names, as they were then. */
    details: Record<string, unknown>
  }[]
  next: string | null
}

/** Field names of the identity library. */
export type SignedInSession = {
  id: string
  token: string
  createdAt: string
  updatedAt: string
  expiresAt: string
  ipAddress?: string | null
  userAgent?: string | null
  /** The session of this browser. */
  current?: boolean
}

export const roles: Role[] = ['reader', 'viewer', 'operator', 'developer', 'administrator']

/** For hiding controls only; the service enforces roles. */
export function may(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && roles.indexOf(role) >= roles.indexOf(needed)
}
