import { AppError } from '../../../errors.ts'
import type { Grant, Principal } from '../access/permissions.ts'
import { allowsVisitors, proveVisitorGrants, type VisitorTransports } from '../access/visitors.ts'
import type { Roles, Space, SpacePermissionsClient } from '../client.ts'
import * as wire from '../responses.ts'
import { listReaders, PAGE_SIZE } from '../transport/lists.ts'
import { isGateway } from '../transport/site.ts'
import { isNotFound } from '../transport/transport.ts'

/** Sites migrate from single permissions to roles; during the transition both count. */
export function cloudSpacePermissions({ transport, visitor }: VisitorTransports): SpacePermissionsClient {
  const { send } = transport
  const { all } = listReaders(transport)

  async function readGrants(space: Space, roles: Roles, signal: AbortSignal): Promise<Grant[]> {
    const doing = `reading the permissions of space ${space.key}`
    const path = `/api/v2/spaces/${encodeURIComponent(space.id)}`
    const listRequest = (list: string) => ({ doing, path: `${path}/${list}`, query: { limit: PAGE_SIZE } })
    const rows = (await all(listRequest('permissions'), wire.permissionResponse, signal)).flatMap(toRow)
    const direct = rows.filter((row): row is Grant => isPrincipal(row.to))
    const roleRows = rows.filter(({ to }) => to.kind === 'role')
    if (roles.mode === NO_ROLES && roleRows.length === 0) return dropCreateGrants(rows, direct)
    if (roles.assumed) {
      const message = `${doing}: ${transport.site.name} has space roles, but not the setting that applies them`
      throw new AppError('source_forbidden', message)
    }

    const assigned = await all(listRequest('role-assignments'), wire.assignmentResponse, signal)
    const assignedRows = assigned.flatMap(({ principal, roleId }) => {
      const to = toPrincipal(principal.principalType, principal.principalId)
      const rowsOfRole = roleRows.filter((row) => row.to.id === roleId).map(({ operation }) => operation)
      const operations = [...(roles.permissions.get(roleId) ?? []), ...rowsOfRole]
      return operations.map((operation): Row => ({ to, operation }))
    })
    const granted = assignedRows.filter((row): row is Grant => isPrincipal(row.to))
    // After the migration to roles single permissions no longer count.
    if (roles.mode === 'ROLES') return dropCreateGrants(assignedRows, granted)
    return dropCreateGrants([...rows, ...assignedRows], [...direct, ...granted])
  }

  return {
    roles: async (signal) => {
      const request = { doing: 'reading how spaces grant permissions', path: '/api/v2/space-role-mode' }
      // Only a 404 means no roles: after the migration single permissions no longer count.
      const response = await send({ ...request, response: wire.roleModeResponse }, signal).catch((error) => {
        if (isNotFound(error) && !isGateway(transport.site)) return null
        throw error
      })
      if (!response) return { mode: NO_ROLES, permissions: new Map(), assumed: true }
      const { mode } = response
      if (mode === NO_ROLES) return { mode, permissions: new Map() }
      const list = {
        doing: 'reading the space roles',
        path: '/api/v2/space-roles',
        query: { limit: PAGE_SIZE },
      }
      const rows = await all(list, wire.roleResponse, signal)
      return { mode, permissions: new Map(rows.map((role) => [role.id, role.spacePermissions ?? []])) }
    },

    grants: async (space, roles, signal) => {
      const path = `/api/v2/spaces/${encodeURIComponent(space.id)}`
      const probe = {
        doing: `reading space ${space.key} as a visitor`,
        path,
        response: wire.spaceResponse,
      }
      return proveVisitorGrants(await readGrants(space, roles, signal), () =>
        allowsVisitors(visitor, probe, signal),
      )
    },
  }
}

const NO_ROLES = 'PRE_ROLES'

/** If any row has `update/page`, `create/page` permits no updates. */
function dropCreateGrants(rows: Row[], grants: Grant[]): Grant[] {
  const separatesUpdates = rows.some(({ operation }) => operation === 'update/page')
  return separatesUpdates ? grants.filter(({ operation }) => operation !== 'create/page') : grants
}

type Row = { to: { kind: string; id: string }; operation: string }

function toRow({ principal, operation }: wire.PermissionResponse): Row[] {
  if (!principal || !operation) return []
  const to = toPrincipal(principal.type, principal.id)
  return [{ to, operation: `${operation.key}/${operation.targetType}` }]
}

/** `ACCESS_CLASS` equals `access-class`, and `ALL_LICENSED_USERS` equals `all-licensed-users`. */
function toPrincipal(type: string, id: string): Row['to'] {
  const word = toDashes(type)
  return word === 'access-class' ? { kind: 'class', id: toDashes(id) } : { kind: word, id }
}

function toDashes(word: string): string {
  return word.toLowerCase().replaceAll('_', '-')
}

function isPrincipal(to: { kind: string; id: string }): to is Principal {
  return to.kind === 'user' || to.kind === 'group' || to.kind === 'class'
}
