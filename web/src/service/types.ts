import type { Operations, Workspace } from '../../../packages/millrace-client/src/schema.ts'

export type { Job, Session, Workflow, Workspace } from '../../../packages/millrace-client/src/schema.ts'

export type ResponseOf<Operation extends keyof Operations> = Operations[Operation]['response']

export type Role = Workspace['role']
export type SetupState = ResponseOf<'GET /api/v1/setup'>
export type Invitation = ResponseOf<'GET /api/v1/invitations/{token}'>
export type ResetLink = ResponseOf<'POST /api/v1/workspaces/{workspace_id}/members/{user_id}/reset-link'>
export type ApiKey = ResponseOf<'GET /api/v1/keys'>[number]
/** A token with which a person searches as themselves. */
export type PersonalToken = ResponseOf<'GET /api/v1/personal-tokens'>[number]
/** A destination that members can search. */
export type SearchDestination = ResponseOf<'GET /api/v1/search/destinations'>[number]
export type Member = ResponseOf<'GET /api/v1/workspaces/{workspace_id}/members'>[number]
/** Enabled keys of a member, per workspace. */
export type WorkingKeys = ResponseOf<'GET /api/v1/workspaces/{workspace_id}/members/{user_id}/keys'>[number]
export type PendingInvitation = ResponseOf<'GET /api/v1/workspaces/{workspace_id}/invitations'>[number]
/** As JSON; exports are text. */
export type AuditPage = Exclude<ResponseOf<'GET /api/v1/audit'>, string>
/** The person's own account in a source. */
export type OwnAccount = ResponseOf<'GET /api/v1/identities/own'>[number]

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
