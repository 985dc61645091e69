import type { Role } from '../store/schema.ts'

export type { Role } from '../store/schema.ts'

/** Each role includes the ones before it. */
export const ROLES = ['reader', 'viewer', 'operator', 'developer', 'administrator'] as const satisfies Role[]

/** A full key acts as a developer of its one workspace. */
export const FULL_KEY_ROLE: Role = 'developer'

/** A signed-in person. */
export type Person = { id: string; email: string; name: string }

/** Who acts in a workspace; `actor` is the name in the audit log. */
export type Caller = {
  kind: 'key' | 'person'
  id: string
  actor: `key:${string}` | `person:${string}`
  workspaceId: string
  role: Role
  /** Set for search keys and personal tokens. */
  search?: SearchLimits
}

/** Whose deletions the caller may undo: their own; null for those of anyone. */
export function undoesDeletionsOf({ role, actor }: Caller): Caller['actor'] | null {
  return role === 'administrator' ? null : actor
}

/** What a search key may do. */
type SearchLimits = {
  /** Empty means all destinations of the workspace. */
  destinationIds: string[]
  mayImpersonate: boolean
  /** The person of a personal token. */
  personId: string | null
}

/** Who may call a route: members with a role, signed-in people, or anyone. */
export type AllowedCaller = Role | 'person' | 'anyone'

export function isAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
