import type { PermissionsData } from './principals.ts'
import { NO_ONE_TOKEN } from './principals.ts'

/** The permissions of a document in both forms that its elements carry. */
export type Access = {
  permissions: PermissionsData
  /** `c0` is the scope, then each restricted level; see `clauses`. */
  clauses: Record<string, string[]>
  /**
   * Names the levels that decide: documents with the same name share them. `SITE/SCOPE/ID/ID;…` lists the restricted
   * levels in the order of the clauses. SCOPE is an id that no later scope gets.
   */
  set?: string
  /** Why a permission could not be proved and grants no access. */
  unproved?: string
  /** Access classes that this version does not know; they grant no access. */
  unknownClasses?: readonly string[]
}

export const NO_ACCESS: Access = {
  permissions: [
    { read: { users: [], groups: [] } },
    { update: { users: [], groups: [] } },
    { delete: { users: [], groups: [] } },
  ],
  clauses: { c0: [NO_ONE_TOKEN] },
}
