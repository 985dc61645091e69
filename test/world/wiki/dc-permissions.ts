import { knownClasses } from './access/membership.ts'
import { canSeeSpace } from './access/truth.ts'
import { visibleSpace } from './dc-listing.ts'
import { atLeast } from './dc-version.ts'
import { type ApiCall, ok, type Route, route, WikiError, type WikiResponse } from './http.ts'
import type { Space, SpacePermission } from './model/model.ts'

/** Space permissions of Data Center: by REST since 9.1, by JSON-RPC before. */
export const permissionRoutes: Route[] = [
  route('GET /space/{key}/permissions', '', (call) =>
    ok(
      rows(call)
        .filter(({ type }) => type !== 'anonymous')
        .map(({ row }) => row),
    ),
  ),
  route('GET /space/{key}/permissions/anonymous', '', (call) =>
    ok(
      rows(call)
        .filter(({ type }) => type === 'anonymous')
        .map(({ row }) => row),
    ),
  ),
  route('GET /space/{key}/permissions/user/{userKey}', '', (call) =>
    ok(
      rows(call)
        .filter(({ type, id }) => type === 'user' && id === call.params.userKey)
        .map(({ row }) => row),
    ),
  ),
  route('GET /space/{key}/permissions/group/{name}', '', (call) =>
    ok(
      rows(call)
        .filter(({ type, id }) => type === 'group' && id === call.params.name)
        .map(({ row }) => row),
    ),
  ),
]

function rows(call: ApiCall) {
  if (!atLeast(call.world, '9.1')) throw new WikiError(404, `null for uri: ${call.url}`)
  const space = visibleSpace(call, call.params.key ?? '')
  // A caller who may not administer the space gets 500, not 403.
  if (!mayReadPermissions(call)) throw new WikiError(500, 'Internal server error')
  return space.permissions.flatMap(({ principal, operation }) => {
    const subject = subjectOf(call, principal)
    // Only Cloud has updates.
    const named = operations[`${operation.key}/${operation.targetType}`]
    if (subject === undefined || named === undefined) return []
    const { type, id } = subject
    const dcSubject =
      type === 'user' ? { type, userKey: id } : type === 'group' ? { type, name: id } : { type }
    const row = {
      operation: { targetType: operation.targetType, operationKey: named.key },
      subject: dcSubject,
      spaceKey: space.key,
      spaceId: Number(space.id),
    }
    return [{ type, id, row }]
  })
}

/** `getSpacePermissionSets`; two null names mean anonymous. */
export function jsonRpc(call: ApiCall): WikiResponse {
  const { dcJsonRpc } = call.world.settings
  if (dcJsonRpc === 'off') throw new WikiError(401, 'The remote API is disabled')
  if (dcJsonRpc === 'websudo')
    return {
      status: 200,
      body: '<!DOCTYPE html><html><head><title>Administrator Access - Confluence</title></head><body></body></html>',
    }
  const request = JSON.parse(call.body || '{}') as
    | { id?: number; method?: string; params?: string[] }
    | string[]
  const {
    id = 0,
    method = call.params.method,
    params = [],
  } = Array.isArray(request) ? { params: request } : request
  const fault = (message: string): WikiResponse => ok({ jsonrpc: '2.0', id, error: { code: 500, message } })
  if (method !== 'getSpacePermissionSets') return fault(`Method not found: ${method}`)
  const space = [...call.world.spaces.values()].find((each) => each.key === params[0])
  if (space === undefined || !canSeeSpace(call.world, call.account, space, 'dataCenter'))
    return fault('RemoteException: The space does not exist')
  if (!mayReadPermissions(call))
    return fault('NotPermittedException: You are not allowed to view the permissions of this space')
  const result = permissionSets(call, space)
  return Array.isArray(request) ? ok(result) : ok({ jsonrpc: '2.0', id, result })
}

function permissionSets(call: ApiCall, space: Space) {
  return Object.entries(operations).map(([text, { type }]) => ({
    type,
    spacePermissions: space.permissions
      .filter(({ operation }) => `${operation.key}/${operation.targetType}` === text)
      .flatMap(({ principal }) => {
        const subject = subjectOf(call, principal)
        if (subject === undefined) return []
        const userName = subject.type === 'user' ? subject.username : null
        return [{ type, userName, groupName: subject.type === 'group' ? subject.id : null }]
      }),
  }))
}

/** What Data Center calls the operations of the model, in REST and in JSON-RPC. */
const operations: Record<string, { key: string; type: string }> = {
  'read/space': { key: 'read', type: 'VIEWSPACE' },
  'create/page': { key: 'create', type: 'EDITSPACE' },
  'create/blogpost': { key: 'create', type: 'EDITBLOG' },
  'create/comment': { key: 'create', type: 'COMMENT' },
  'create/attachment': { key: 'create', type: 'CREATEATTACHMENT' },
  'delete/page': { key: 'delete', type: 'REMOVEPAGE' },
  'delete/blogpost': { key: 'delete', type: 'REMOVEBLOG' },
  'delete/comment': { key: 'delete', type: 'REMOVECOMMENT' },
  'delete/attachment': { key: 'delete', type: 'REMOVEATTACHMENT' },
  'delete/space': { key: 'delete_own', type: 'REMOVEOWNCONTENT' },
  'administer/space': { key: 'administer', type: 'SETSPACEPERMISSIONS' },
  'export/space': { key: 'export', type: 'EXPORTSPACE' },
  'restrict_content/space': { key: 'restrict', type: 'SETPAGEPERMISSIONS' },
}

type Subject = { type: 'user'; id: string; username: string } | { type: 'group' | 'anonymous'; id: string }

/** Data Center has no access classes: licensed people are a group. */
function subjectOf({ world }: ApiCall, { type, id }: SpacePermission['principal']): Subject | undefined {
  if (type === 'user') {
    const person = world.people.get(id)
    return person && { type, id: person.userKey, username: person.username }
  }
  if (type === 'group') {
    const group = world.groups.get(id)
    return group === undefined || group.deleted ? undefined : { type, id: group.name }
  }
  if (id === 'anonymous-users') return { type: 'anonymous', id: '' }
  return knownClasses.has(id) ? { type: 'group', id: 'confluence-users' } : undefined
}

const mayReadPermissions = ({ account }: ApiCall): boolean => account.admin && !account.forbidden
