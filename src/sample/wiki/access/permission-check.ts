import { type ApiCall, ok, WikiError, type WikiResponse } from '../http.ts'
import {
  ancestorNodes,
  type ContentNode,
  isCloudOnly,
  isRestricted,
  type RestrictionList,
  type World,
} from '../model/model.ts'
import { canDelete, canRead, canUpdate, holdsAsGroup, type PageOperation, updateKey } from './truth.ts'

/** `permission/check` considers site, space and restrictions, also those of folders. */
export function permissionCheck(call: ApiCall, node: ContentNode): WikiResponse {
  const { world, account } = call
  const { subject, operation } = parse(call.body)
  if (operation !== 'read' && operation !== 'update' && operation !== 'delete')
    throw new WikiError(400, `Unknown operation ${operation}`)
  if (subject?.type !== 'user' && subject?.type !== 'group') throw new WikiError(400, 'Unknown subject')
  const { identifier } = subject
  if (!account.mayCheck && !(subject.type === 'user' && identifier === account.accountId))
    throw new WikiError(403, 'Only Confluence administrators may check the permissions of others')
  if (isCloudOnly(node.kind) && world.settings.checkOnFolder === 'missing')
    throw new WikiError(404, 'No content found with the given id, or no permission to view it')
  const hasPermission =
    subject.type === 'group'
      ? groupMay(world, identifier, { node, operation })
      : world.people.has(identifier) && checks[operation](world, identifier, node.id)
  return ok({ hasPermission, errors: [] })
}

const checks = { read: canRead, update: canUpdate, delete: canDelete }

/** A group may if the space and every restriction above name it. */
function groupMay(
  world: World,
  id: string,
  { node, operation }: { node: ContentNode; operation: PageOperation },
): boolean {
  const space = world.spaces.get(node.spaceId)
  const group = world.groups.get(id)
  if (space === undefined || group === undefined || group.deleted) return false
  const held = (key: string, targetType: string): boolean =>
    holdsAsGroup(world, space, { id, key, targetType })
  const allowed = (list: RestrictionList): boolean => !isRestricted(list) || list.groups.includes(id)
  const administers = held('administer', 'space')
  const reads =
    (held('read', 'space') || administers) &&
    [...ancestorNodes(world, node), node].every(({ restrictions }) => allowed(restrictions.read))
  if (!reads || operation === 'read') return reads
  const updates =
    (held(updateKey(world, space, 'cloud'), 'page') || administers) && allowed(node.restrictions.update)
  return updates && (operation === 'update' || held('delete', 'page'))
}

function parse(text: string): { subject?: { type: string; identifier: string }; operation?: string } {
  try {
    return JSON.parse(text)
  } catch {
    throw new WikiError(400, 'The body is not JSON')
  }
}
