import type { Role } from '../store/schema.ts'

export type { Role } from '../store/schema.ts'

/** Each may do what those before it may. */
export const ROLES = ['viewer', 'operator', 'developer', 'administrator'] as const satisfies Role[]

/** A key acts as a developer of its one workspace. */
export const KEY_ROLE: Role = 'developer'

/** Somebody who is signed in, in whatever workspace. */
export type Person = { id: string; email: string; name: string }

/** Who acts in a workspace; `actor` is how the audit log names them. */
export type Caller = {
  kind: 'key' | 'person'
  id: string
  actor: `key:${string}` | `person:${string}`
  workspaceId: string
  role: Role
}

/** Who may call a route: a member of the workspace, anybody who is signed in, or simply anybody. */
export type Allows = Role | 'person' | 'anyone'

export function isAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
