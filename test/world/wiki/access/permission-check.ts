import { type ApiCall, ok, WikiError, type WikiResponse } from '../http.ts'
import {
  ancestorNodes,
  type ContentNode,
  isCloudOnly,
  isRestricted,
  type RestrictionList,
  type World,
} from '../model/model.ts'
import { mayUseProduct } from './membership.ts'
import {
  canDelete,
  canRead,
  canUpdate,
  holdsAsGroup,
  type PageOperation,
  targetOf,
  updateKey,
} from './truth.ts'
import { visitor } from './visitor.ts'

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
  const wanted: Wanted = { node, operation }
  const refusal =
    subject.type === 'group'
      ? refusalOfGroup(world, identifier, wanted)
      : refusalOfUser(world, identifier, wanted)
  const errors = refusal === undefined ? [] : [{ translation: refusal, args: [] }]
  return ok({ hasPermission: refusal === undefined, errors })
}

const checks = { read: canRead, update: canUpdate, delete: canDelete }

type Wanted = { node: ContentNode; operation: PageOperation }

/** Without access to the site, even what visitors see is refused. `anonymous` is the visitor. */
function refusalOfUser(world: World, identifier: string, { node, operation }: Wanted): string | undefined {
  const isVisitor = identifier === visitor().accountId
  const isAdmitted = isVisitor ? world.settings.cloudVisitors : mayUseProduct(world, identifier)
  if (!isAdmitted) return isVisitor ? 'Anonymous users may not use the wiki' : 'The user may not use the wiki'
  return checks[operation](world, identifier, node.id)
    ? undefined
    : 'No permission for the space or the content'
}

const refusalOfGroup = (world: World, id: string, wanted: Wanted): string | undefined =>
  groupMay(world, id, wanted) ? undefined : 'The group has no permission for the space or the content'

/** A group may if the space and every restriction above name it. */
function groupMay(world: World, id: string, { node, operation }: Wanted): boolean {
  const space = world.spaces.get(node.spaceId)
  const group = world.groups.get(id)
  if (space === undefined || group === undefined || group.deleted) return false
  const held = (key: string, targetType: string): boolean =>
    holdsAsGroup(world, space, { id, key, targetType })
  const allowed = (list: RestrictionList): boolean => !isRestricted(list) || list.groups.includes(id)
  const target = targetOf(node)
  const administers = held('administer', 'space')
  const reads =
    (held('read', 'space') || administers) &&
    [...ancestorNodes(world, node), node].every(({ restrictions }) => allowed(restrictions.read))
  if (!reads || operation === 'read') return reads
  const updates =
    (held(updateKey(world, space, { site: 'cloud', target }), target) || administers) &&
    allowed(node.restrictions.update)
  return updates && (operation === 'update' || held('delete', target))
}

function parse(text: string): { subject?: { type: string; identifier: string }; operation?: string } {
  try {
    return JSON.parse(text)
  } catch {
    throw new WikiError(400, 'The body is not JSON')
  }
}
