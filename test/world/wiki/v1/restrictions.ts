import { type ContentNode, isCloudOnly, noRestrictions, type RestrictionList } from '../model/model.ts'
import { offsetPage } from '../paging.ts'
import { baseOf, type Expand, type V1Context } from './expand.ts'
import { groupItem, unknownPerson, userItem } from './people.ts'

/** Restrictions in v1: direct ones only, each list paged separately. */
export interface ListRange {
  start: number
  limit: number
}

/** One operation's direct restriction; `parts` selects the lists. */
export function restrictionItem(
  context: V1Context,
  node: ContentNode,
  options: { operation: 'read' | 'update'; parts: Expand; slice: ListRange },
): Record<string, unknown> {
  const { operation, parts, slice } = options
  const hidden = context.call.world.settings.folderRestrictionsHidden && isCloudOnly(node.kind)
  const list = (hidden ? noRestrictions() : node.restrictions)[operation]
  const self = `${baseOf(context)}/rest/api/content/${node.id}/restriction/byOperation/${operation}`
  const lists: Record<string, unknown> = {}
  const expandable: Record<string, string> = { content: `/rest/api/content/${node.id}` }
  const inner = parts.get('restrictions')
  for (const kind of ['user', 'group'] as const) {
    if (inner?.has(kind))
      lists[kind] = nestedList(principalItems(context, list, kind), { node, operation, kind, slice })
    else expandable[kind] = ''
  }
  if (inner === undefined)
    expandable.restrictions = `/rest/api/content/${node.id}/restriction/byOperation/${operation}?expand=restrictions`
  return {
    operation,
    ...(inner === undefined ? {} : { restrictions: lists }),
    _expandable: expandable,
    _links: { self },
  }
}

/** The wiki lists 100 principals at a time, in endpoints and expansions. */
function nestedList(
  all: unknown[],
  list: { node: ContentNode; operation: string; kind: string; slice: ListRange },
): Record<string, unknown> {
  const { node, operation, kind, slice } = list
  const { start, limit } = slice
  const { more, ...page } = offsetPage(all, start, limit)
  const next = `/rest/api/content/${node.id}/restriction/byOperation/${operation}?expand=restrictions.${kind}&start=${start + limit}&limit=${limit}`
  return { ...page, ...(more ? { _links: { next } } : {}) }
}

function principalItems(context: V1Context, list: RestrictionList, kind: 'user' | 'group'): unknown[] {
  const { people, groups } = context.call.world
  if (kind === 'user')
    return list.users.map((id) => userItem(context, people.get(id) ?? { ...unknownPerson, accountId: id }))
  return list.groups.flatMap((id) => {
    const group = groups.get(id)
    return group === undefined ? [] : [groupItem(context, group)]
  })
}

/** Both operations; only expanded parts are included. */
export function restrictionsItem(
  context: V1Context,
  node: ContentNode,
  expand: Expand,
): Record<string, unknown> {
  const slice = { start: 0, limit: context.call.world.settings.nestedLimit }
  const operations: Record<string, unknown> = {}
  const expandable: Record<string, string> = {}
  for (const operation of ['read', 'update'] as const) {
    const parts = expand.get(operation)
    if (parts !== undefined)
      operations[operation] = restrictionItem(context, node, { operation, parts, slice })
    else expandable[operation] = `/rest/api/content/${node.id}/restriction/byOperation/${operation}`
  }
  return {
    ...operations,
    _expandable: expandable,
    _links: { self: `${baseOf(context)}/rest/api/content/${node.id}/restriction/byOperation` },
  }
}
