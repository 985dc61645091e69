import type { Role } from '../store/schema.ts'

export type { Role } from '../store/schema.ts'

/** Each role includes the ones before it. */
export const ROLES = ['viewer', 'operator', 'developer', 'administrator'] as const satisfies Role[]

/** A key acts as a developer of its one workspace. */
export const KEY_ROLE: Role = 'developer'

/** A signed-in person. */
export type Person = { id: string; email: string; name: string }

/** Who acts in a workspace; `actor` is the name in the audit log. */
export type Caller = {
  kind: 'key' | 'person'
  id: string
  actor: `key:${string}` | `person:${string}`
  workspaceId: string
  role: Role
}

/** Who may call a route: members with a role, signed-in people, or anyone. */
export type Allows = Role | 'person' | 'anyone'

export function isAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
