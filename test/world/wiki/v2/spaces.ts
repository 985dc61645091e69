import { scopes } from '../access/scopes.ts'
import { canSeeSpace } from '../access/truth.ts'
import { type ApiCall, ok, type Route, route, WikiError, type WikiResponse } from '../http.ts'
import type { Space, SpacePermission } from '../model/model.ts'
import { rolePermissionId, rolePermissions } from '../model/role-permissions.ts'
import { assignmentsOf, isGovernedByRoles, rolesOf } from '../model/roles.ts'
import { byNumber, cursorPage, type Order, v2Limit } from '../paging.ts'
import { v2Page } from './page.ts'

/** Spaces and their permissions, as rows and as roles. */
export const cloudV2SpaceRoutes: Route[] = [
  route('GET /spaces', scopes.space, spaces),
  route('GET /spaces/{id}', scopes.space, space),
  route('GET /spaces/{id}/permissions', scopes.space, (call) =>
    v2Page(call, permissionRows(call, allowedSpace(call)), { order: byId }),
  ),
  route('GET /spaces/{id}/role-assignments', scopes.roles, (call) =>
    v2Page(call, assignmentRows(call, allowedSpace(call)), {
      order: byId,
      toItem: ({ id: _, ...row }) => row,
    }),
  ),
  route('GET /space-roles', scopes.roles, (call) => {
    const spelled = (operation: string) => rolePermissionId(call.world, operation)
    const roles = rolesOf(call.world).map(({ spacePermissions, ...role }) => ({
      ...role,
      spacePermissions: spacePermissions.map(spelled),
    }))
    return v2Page(call, roles, { order: inListOrder })
  }),
  route('GET /space-role-mode', scopes.roleMode, (call) => {
    // 404 says that the account may not see the mode, not that there are no roles.
    if (call.account.hiddenRoleMode) throw new WikiError(404, 'Not Found')
    return ok({ mode: call.world.settings.roleMode })
  }),
  route('GET /space-permissions', scopes.roles, (call) =>
    v2Page(call, rolePermissions(call.world), { order: inListOrder }),
  ),
]

const inListOrder: Order<{ id: string }> = { name: 'list', compare: () => 0, id: ({ id }) => id }

const byId: Order<{ id: string }> = { name: 'id', compare: byNumber, id: (item) => item.id }

const sorts: Record<string, (a: Space, b: Space) => number> = {
  id: byNumber,
  key: (a, b) => (a.key < b.key ? -1 : 1),
  name: (a, b) => (a.name < b.name ? -1 : 1),
}

function spaces(call: ApiCall): WikiResponse {
  const { world, account, query } = call
  const listOf = (name: string) => query.getAll(name).flatMap((text) => text.split(','))
  const [ids, keys] = [listOf('ids'), listOf('keys')]
  const [type, status, sort] = [query.get('type'), query.get('status'), query.get('sort') ?? 'id']
  if (status !== null && status !== 'current' && status !== 'archived')
    throw new WikiError(400, `Provided value {${status}} for 'status' is not valid`)
  const compare = sorts[sort.replace(/^-/, '')]
  if (compare === undefined) throw new WikiError(400, `Provided value {${sort}} for 'sort' is not valid`)
  const found = [...world.spaces.values()].filter(
    (each) =>
      (ids.length === 0 || ids.includes(each.id)) &&
      (keys.length === 0 || keys.includes(each.key)) &&
      (type === null || each.type === type) &&
      (status === null || each.status === status) &&
      canSeeSpace(world, account, each),
  )
  const order = { name: sort, compare, id: (each: Space) => each.id }
  found.sort((a, b) => (sort.startsWith('-') ? -compare(a, b) : compare(a, b)))
  return v2Page(call, cursorPage(call, found, { limit: v2Limit(call), order }), { toItem: spaceItem })
}

function space(call: ApiCall): WikiResponse {
  const found = visibleSpace(call)
  const item: Record<string, unknown> = { ...spaceItem(found) }
  const included = (rows: unknown[]) => ({
    results: rows.slice(0, 50),
    meta: { hasMore: rows.length > 50, cursor: '' },
  })
  if (call.query.get('include-permissions') === 'true')
    item.permissions = included(permissionRows(call, allowedSpace(call)))
  if (call.query.get('include-role-assignments') === 'true')
    item.roleAssignments = included(assignmentRows(call, allowedSpace(call)))
  return ok({ ...item, _links: { webui: `/spaces/${found.key}`, base: call.urls.cloudUrl } })
}

function visibleSpace(call: ApiCall): Space {
  const found = call.world.spaces.get(call.params.id ?? '')
  if (found === undefined || !canSeeSpace(call.world, call.account, found))
    throw new WikiError(404, 'Not Found')
  return found
}

function allowedSpace(call: ApiCall): Space {
  const found = visibleSpace(call)
  if (call.account.forbidden) throw new WikiError(403, 'Forbidden')
  return found
}

/** In role mode, rows name roles, and assignments name the principals of each role. */
function permissionRows(call: ApiCall, found: Space) {
  if (!isGovernedByRoles(call.world, found))
    return found.permissions.map(({ principal, operation }, at) => ({
      id: String(Number(found.id) * 1000 + at),
      principal: spellPrincipal(call, principal),
      operation,
    }))
  if (!call.world.settings.roleRows) return []
  const held = new Set(assignmentsOf(found).map(({ roleId }) => roleId))
  return rolesOf(call.world)
    .filter(({ id }) => held.has(id))
    .flatMap((role) => role.spacePermissions.map((text) => ({ role, text })))
    .map(({ role, text }, at) => {
      const [key, targetType] = text.split('/')
      return {
        id: String(Number(found.id) * 1000 + at),
        principal: { type: 'role', id: role.id },
        operation: { key, targetType },
      }
    })
}

/** A setting decides how rows spell classes; assignments always use `all-licensed-users`. */
function spellPrincipal({ world }: ApiCall, { type, id }: SpacePermission['principal']) {
  const { classSpelling, classType } = world.settings
  if (type !== 'access-class') return { type, id }
  const upper = classSpelling === 'ALL_LICENSED_USERS'
  return { type: classType, id: upper ? id.toUpperCase().replaceAll('-', '_') : id }
}

const assignmentRows = (call: ApiCall, found: Space) =>
  isGovernedByRoles(call.world, found)
    ? assignmentsOf(found).map((row, at) => ({ id: String(at + 1), ...row }))
    : []

const spaceItem = ({ id, key, name, type, status, authorId, createdAt, homepageId, description }: Space) => ({
  id,
  key,
  name,
  type,
  status,
  authorId,
  createdAt,
  homepageId,
  spaceOwnerId: authorId,
  currentActiveAlias: key,
  description: description === null ? null : { plain: { value: description, representation: 'plain' } },
  icon: null,
  _links: { webui: `/spaces/${key}` },
})
