import type { z } from 'zod'
import type { jobShape, workflowShape } from '../../../src/api/shapes/resources.ts'

export type Job = z.infer<typeof jobShape>
export type Workflow = z.infer<typeof workflowShape>

export type Role = 'viewer' | 'operator' | 'developer' | 'administrator'

export type Workspace = { id: string; name: string; role: Role }

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
  items: { at: string; actor: string; actor_name: string | null; action: string; subject: string }[]
  next: string | null
}

/** In the identity library's names. */
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

export const roles: Role[] = ['viewer', 'operator', 'developer', 'administrator']

/** Hides what the service would refuse; the service decides. */
export function may(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && roles.indexOf(role) >= roles.indexOf(needed)
}
