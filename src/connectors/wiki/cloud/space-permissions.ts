import { AppError } from '../../../errors.ts'
import { undefinedUnlessFatal } from '../access/directory.ts'
import type { Grant, Principal } from '../access/permissions.ts'
import { allowsVisitors, proveVisitorGrants, type VisitorTransports } from '../access/visitors.ts'
import type { Roles, Space, SpacePermissionsClient } from '../client.ts'
import * as wire from '../responses.ts'
import { listReaders, PAGE_SIZE } from '../transport/lists.ts'
import { isGateway } from '../transport/site.ts'
import { isNotFound, statusOfError, type WikiTransport } from '../transport/transport.ts'
import { checkPermission } from './permission-checks.ts'
import { readRolePermissions } from './role-permissions.ts'

/** Sites migrate from single permissions to roles; during the transition both count. */
export function cloudSpacePermissions({ transport, visitor }: VisitorTransports): SpacePermissionsClient {
  const { send } = transport
  const { all } = listReaders(transport)

  async function readGrants(space: Space, roles: Roles, signal: AbortSignal): Promise<Grant[]> {
    const doing = `reading the permissions of space ${space.key}`
    const path = `/api/v2/spaces/${encodeURIComponent(space.id)}`
    const listRequest = (list: string) => ({ doing, path: `${path}/${list}`, query: { limit: PAGE_SIZE } })
    const included = roles.mode === NO_ROLES ? null : await readIncluded(transport, { doing, path }, signal)
    const rows = (
      included?.permissions ?? (await all(listRequest('permissions'), wire.permissionResponse, signal))
    ).flatMap(toRow)
    const direct = rows.filter((row): row is Grant => isPrincipal(row.to))
    const roleRows = rows.filter(({ to }) => to.kind === 'role')
    const hasNoRoles = roles.mode === NO_ROLES && roleRows.length === 0
    if (hasNoRoles && !roles.assumed) return dropCreateGrants(rows, direct)

    const listAssigned = () => all(listRequest('role-assignments'), wire.assignmentResponse, signal)
    const assigned =
      included?.assignments ??
      (await listAssigned().catch((error) => {
        if (hasNoRoles && isUnavailable(error)) return []
        throw error
      }))
    if (hasNoRoles && assigned.length === 0) return dropCreateGrants(rows, direct)
    if (roles.assumed) {
      const message = `${doing}: ${transport.site.name} has space roles, but does not show the account how they apply`
      throw new AppError('source_forbidden', message, { fix: ROLE_MODE_FIX })
    }
    const assignedRows = assigned.flatMap((each) => rowsOfRole(each, roleRows, roles))
    const granted = assignedRows.filter((row): row is Grant => isPrincipal(row.to))
    // After the migration to roles single permissions no longer count.
    if (roles.mode === 'ROLES') return dropCreateGrants(assignedRows, granted)
    return dropCreateGrants([...rows, ...assignedRows], [...direct, ...granted])
  }

  /** The gateway serves no visitors, so there the wiki is asked whether they may read the home page. */
  async function isOpen({ id, key, homepageId }: Space, signal: AbortSignal): Promise<boolean> {
    const doing = `reading space ${key} as a visitor`
    const path = `/api/v2/spaces/${encodeURIComponent(id)}`
    if (visitor) return allowsVisitors(visitor, { doing, path, response: wire.spaceResponse }, signal)
    if (!homepageId) return false
    const subject = { kind: 'visitor' as const }
    return checkPermission(transport, { pageId: homepageId, subject, operation: 'read' }, signal)
  }

  return {
    roles: async (signal) => {
      const request = { doing: 'reading how spaces grant permissions', path: '/api/v2/space-role-mode' }
      // A 404 may mean that the account may not see it: after the migration single permissions no longer count.
      const response = await send({ ...request, response: wire.roleModeResponse }, signal).catch((error) => {
        if (isUnavailable(error) && !isGateway(transport.site)) return null
        throw error
      })
      if (!response) return { mode: NO_ROLES, permissions: new Map(), assumed: true }
      const { mode } = response
      if (mode === NO_ROLES) return { mode, permissions: new Map() }
      return { mode, permissions: await readRolePermissions(transport, signal) }
    },

    grants: async (space, roles, signal) =>
      proveVisitorGrants(await readGrants(space, roles, signal), () => isOpen(space, signal)),
  }
}

type IncludedLists = {
  permissions: wire.PermissionResponse[] | null
  assignments: wire.AssignmentResponse[] | null
}

/** Both lists in one request; null for a list that is too long for it, or if only the lists can be read. */
async function readIncluded(
  { send }: WikiTransport,
  { doing, path }: { doing: string; path: string },
  signal: AbortSignal,
): Promise<IncludedLists> {
  const query = { 'include-permissions': 'true', 'include-role-assignments': 'true' }
  const request = { doing, path, query, response: wire.includedPermissions }
  const response = await send(request, signal).catch(undefinedUnlessFatal)
  const { permissions, roleAssignments } = response ?? {}
  const isWhole = (list: { meta?: { hasMore?: boolean | null } | null } | null | undefined) =>
    list?.meta?.hasMore === false
  return {
    permissions: isWhole(permissions) ? (permissions?.results ?? null) : null,
    assignments: isWhole(roleAssignments) ? (roleAssignments?.results ?? null) : null,
  }
}

/** What an assigned role grants, by its definition and by the permissions of the space. */
function rowsOfRole(
  { principal, roleId }: wire.AssignmentResponse,
  roleRows: readonly Row[],
  roles: Roles,
): Row[] {
  const to = toPrincipal(principal.principalType, principal.principalId)
  const named = roleRows.filter((row) => row.to.id === roleId).map(({ operation }) => operation)
  const operations = [...(roles.permissions.get(roleId) ?? []), ...named]
  const rows = operations.map((operation): Row => ({ to, operation }))
  if (operations.includes(READ)) return rows
  return [...rows, { to, operation: READ, unproved: `what the space role ${roleId} permits is unknown` }]
}

const NO_ROLES = 'PRE_ROLES'
const READ = 'read/space'
const ROLE_MODE_FIX = 'Use an account that may see the roles of the site, such as a Confluence administrator'

/** Sites without roles may not have the requests for them. */
function isUnavailable(error: unknown): boolean {
  return isNotFound(error) || [400, 501].includes(statusOfError(error) ?? 0)
}

/** If any row has `update/page`, `create/page` permits no updates. The same holds for blog posts. */
function dropCreateGrants(rows: Row[], grants: Grant[]): Grant[] {
  const operations = new Set(rows.map(({ operation }) => operation))
  const hasUpdate = (target: string) => operations.has(`update/${target}`)
  const dropped = new Set(['page', 'blogpost'].filter(hasUpdate).map((target) => `create/${target}`))
  return grants.filter(({ operation }) => !dropped.has(operation))
}

type Row = { to: { kind: string; id: string }; operation: string; unproved?: string }

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
