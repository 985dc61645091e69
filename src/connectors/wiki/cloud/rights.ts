import * as wire from '../answers.ts'
import type { RightsClient } from '../client.ts'
import type { Grant, Principal } from '../permissions.ts'
import { PAGE, wholeLists } from '../transport/lists.ts'
import { isMissing, type Transport } from '../transport/transport.ts'

/** What spaces give to whom. Sites go over from single permissions to roles, and for a while have both. */
export function cloudRights(transport: Transport): RightsClient {
  const { ask } = transport
  const { all } = wholeLists(transport)

  return {
    roles: async (signal) => {
      const question = { doing: 'reading how spaces give rights', path: '/api/v2/space-role-mode' }
      // A site that does not know the question has no roles. One that does not answer may have gone over to them,
      // and then single permissions are history: that is not known, and so grants nothing.
      const { mode } = await ask({ ...question, answer: wire.roleModeAnswer }, signal).catch((error) => {
        if (isMissing(error)) return NO_ROLES
        throw error
      })
      if (mode === NO_ROLES.mode) return { mode, permissions: new Map() }
      const list = { doing: 'reading the space roles', path: '/api/v2/space-roles', query: { limit: PAGE } }
      const rows = await all(list, wire.roleAnswer, signal)
      return { mode, permissions: new Map(rows.map((role) => [role.id, role.spacePermissions ?? []])) }
    },

    grants: async (space, roles, signal) => {
      const doing = `reading the permissions of space ${space.key}`
      const path = `/api/v2/spaces/${encodeURIComponent(space.id)}`
      const at = (list: string) => ({ doing, path: `${path}/${list}`, query: { limit: PAGE } })
      const rows = (await all(at('permissions'), wire.permissionAnswer, signal)).flatMap(toRow)
      const direct = rows.filter((row): row is Grant => isPrincipal(row.to))
      const ofRoles = rows.filter(({ to }) => to.kind === 'role')
      if (roles.mode === NO_ROLES.mode && ofRoles.length === 0) return direct

      const assigned = await all(at('role-assignments'), wire.assignmentAnswer, signal)
      const through = assigned.flatMap(({ principal, roleId }) => {
        const to = { kind: kindOf(principal.principalType), id: principal.principalId }
        const rowsOfRole = ofRoles.filter((row) => row.to.id === roleId).map(({ operation }) => operation)
        const operations = [...(roles.permissions.get(roleId) ?? []), ...rowsOfRole]
        return isPrincipal(to) ? operations.map((operation) => ({ to, operation })) : []
      })
      // Once a site has gone over to roles, what single principals were given before is history.
      return roles.mode === 'ROLES' ? through : [...direct, ...through]
    },
  }
}

const NO_ROLES = { mode: 'PRE_ROLES' }

type Row = { to: { kind: string; id: string }; operation: string }

function toRow({ principal, operation }: wire.PermissionAnswer): Row[] {
  if (!principal || !operation) return []
  const to = { kind: kindOf(principal.type), id: principal.id }
  return [{ to, operation: `${operation.key}/${operation.targetType}` }]
}

/** `ACCESS_CLASS` and `access-class` are the same word. */
function kindOf(type: string): string {
  const word = type.toLowerCase().replaceAll('_', '-')
  return word === 'access-class' ? 'class' : word
}

function isPrincipal(to: { kind: string; id: string }): to is Principal {
  return to.kind === 'user' || to.kind === 'group' || to.kind === 'class'
}
