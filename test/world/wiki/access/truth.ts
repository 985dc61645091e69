import {
  type ApiAccount,
  ancestorNodes,
  type Content,
  type ContentNode,
  isRestricted,
  pageOf,
  type SiteName,
  type Space,
  type World,
} from '../model/model.ts'
import { isGovernedByRoles } from '../model/roles.ts'
import { holdsGroupNamed, inClass, isDisabled, isNamed } from './membership.ts'

/**
 * Who may do what, by walking space, ancestors and page. Tests compare the index with this, so it shares and
 * caches nothing.
 */
export type PageOperation = 'read' | 'update' | 'delete'

const superGroup = 'confluence-administrators'

export function canRead(world: World, accountId: string, pageId: string, site: SiteName = 'cloud'): boolean {
  const node = world.nodes.get(pageId)
  if (node === undefined || isDisabled(world, accountId)) return false
  if (site === 'dataCenter' && holdsGroupNamed(world, accountId, superGroup)) return true
  if (!canViewSpace(world, accountId, node.spaceId, site)) return false
  for (const level of [...ancestorNodes(world, node, site), node]) {
    const list = level.restrictions.read
    if (isRestricted(list) && !isNamed(world, accountId, list)) return false
  }
  return true
}

export function canUpdate(
  world: World,
  accountId: string,
  pageId: string,
  site: SiteName = 'cloud',
): boolean {
  const node = world.nodes.get(pageId)
  if (node === undefined || !canReadByRules(world, accountId, node, site)) return false
  const space = world.spaces.get(node.spaceId)
  if (space === undefined) return false
  const target = targetOf(node)
  const may =
    holds(world, accountId, space, updateKey(world, space, { site, target }), target, site) ||
    holds(world, accountId, space, 'administer', 'space', site)
  if (!may) return false
  const list = node.restrictions.update
  return !isRestricted(list) || isNamed(world, accountId, list)
}

export function canDelete(
  world: World,
  accountId: string,
  pageId: string,
  site: SiteName = 'cloud',
): boolean {
  const node = world.nodes.get(pageId)
  if (node === undefined || !canUpdate(world, accountId, pageId, site)) return false
  const space = world.spaces.get(node.spaceId)
  if (space === undefined) return false
  if (holds(world, accountId, space, 'delete', targetOf(node), site)) return true
  return node.authorId === accountId && holds(world, accountId, space, 'delete', 'space', site)
}

export function canViewSpace(
  world: World,
  accountId: string,
  spaceId: string,
  site: SiteName = 'cloud',
): boolean {
  const space = world.spaces.get(spaceId)
  if (space === undefined || isDisabled(world, accountId)) return false
  return (
    holds(world, accountId, space, 'read', 'space', site) ||
    holds(world, accountId, space, 'administer', 'space', site)
  )
}

/** Blog posts have their own rows; everything else has those of pages. */
export const targetOf = ({ kind }: ContentNode): 'blogpost' | 'page' =>
  kind === 'blogpost' ? 'blogpost' : 'page'

/** Only roles separate `update/page` from `create/page`; rows and Data Center do not. */
export function updateKey(
  world: World,
  space: Space,
  { site, target }: { site: SiteName; target: 'blogpost' | 'page' },
): 'update' | 'create' {
  const hasUpdateRow =
    site === 'cloud' &&
    isGovernedByRoles(world, space) &&
    space.permissions.some(({ operation }) => operation.key === 'update' && operation.targetType === target)
  return hasUpdateRow ? 'update' : 'create'
}

/** What an API account sees; the rest is 404. */
export function canSee(
  world: World,
  account: ApiAccount,
  node: ContentNode,
  site: SiteName = 'cloud',
): boolean {
  if (account.hiddenNodes.has(node.id) || account.hiddenSpaces.has(node.spaceId)) return false
  return account.seesAll || canRead(world, account.accountId, node.id, site)
}

/** Attachments and comments are visible to readers of their page. */
export function canSeeContent(
  world: World,
  account: ApiAccount,
  content: Content,
  site: SiteName = 'cloud',
): boolean {
  const page = pageOf(world, content)
  return page !== undefined && canSee(world, account, page, site)
}

export function canSeeSpace(
  world: World,
  account: ApiAccount,
  space: Space,
  site: SiteName = 'cloud',
): boolean {
  if (account.hiddenSpaces.has(space.id)) return false
  return account.seesAll || canViewSpace(world, account.accountId, space.id, site)
}

function canReadByRules(world: World, accountId: string, node: ContentNode, site: SiteName): boolean {
  if (!canViewSpace(world, accountId, node.spaceId, site)) return false
  return [...ancestorNodes(world, node, site), node].every((level) => {
    const list = level.restrictions.read
    return !isRestricted(list) || isNamed(world, accountId, list)
  })
}

// Six arguments, because a grant is exactly this tuple.
function holds(
  world: World,
  accountId: string,
  space: Space,
  key: string,
  targetType: string,
  site: SiteName,
): boolean {
  return space.permissions.some(({ principal, operation }) => {
    if (operation.key !== key || operation.targetType !== targetType) return false
    if (principal.type === 'user') return isNamed(world, accountId, { users: [principal.id], groups: [] })
    if (principal.type === 'group') return isNamed(world, accountId, { users: [], groups: [principal.id] })
    return inClass(world, accountId, principal.id, site)
  })
}

/** Whether the space grants this to the group, by its row or to visitors. */
export function holdsAsGroup(
  { settings }: World,
  space: Space,
  wanted: { id: string; key: string; targetType: string },
): boolean {
  return space.permissions.some(({ principal, operation }) => {
    if (operation.key !== wanted.key || operation.targetType !== wanted.targetType) return false
    if (principal.type === 'access-class') return principal.id === 'anonymous-users' && settings.cloudVisitors
    return principal.type === 'group' && principal.id === wanted.id
  })
}
