import { dcLinks } from './dc-page.ts'
import { atLeast } from './dc-version.ts'
import { type ApiCall, ok, WikiError, type WikiResponse } from './http.ts'
import { ancestorNodes, type Content, type ContentNode, isRestricted } from './model/model.ts'
import { cappedLimit, wholeNumber } from './paging.ts'
import { contentItem } from './v1/content.ts'
import { type Expand, parseExpand, type V1Context } from './v1/expand.ts'
import type { JsonItem } from './v1/item-parts.ts'
import { restrictionItem } from './v1/restrictions.ts'

const dc = (call: ApiCall): V1Context => ({ call, site: 'dataCenter' })

/** Content with `relevantViewRestrictions`, which versions before 9.0 neither name nor expand. */
export function dcItem(call: ApiCall, content: Content, expand: Expand): JsonItem {
  const item = contentItem(dc(call), content, expand)
  if ('pageId' in content || !atLeast(call.world, '9.0')) return item
  const inner = expand.get('relevantViewRestrictions')
  if (inner !== undefined && !call.account.forbidden)
    return { ...item, relevantViewRestrictions: relevantItem(call, content, inner) }
  const expandable = {
    ...(item._expandable as Record<string, string>),
    relevantViewRestrictions: `/rest/api/content/${content.id}/restriction/relevantViewRestrictions`,
  }
  return { ...item, _expandable: expandable }
}

/** Since 9.0; the lists are expanded by default. */
export function relevantRestrictions(call: ApiCall, node: ContentNode): WikiResponse {
  if (!atLeast(call.world, '9.0')) throw new WikiError(404, `null for uri: ${call.url}`)
  refuseForbidden(call)
  const lists = parseExpand(
    'viewContentRestrictions.restrictions.user,viewContentRestrictions.restrictions.group',
  )
  return ok({ ...relevantItem(call, node, lists), _links: dcLinks(call) })
}

/** One entry for each restricted node from the root to the page; each list stops at `nestedLimit`. */
function relevantItem(call: ApiCall, node: ContentNode, expand: Expand): JsonItem {
  const parts: Expand = expand.get('viewContentRestrictions') ?? new Map()
  const limit = call.world.settings.nestedLimit
  const path = [...ancestorNodes(call.world, node, 'dataCenter'), node]
  const results = path
    .filter(({ restrictions }) => isRestricted(restrictions.read))
    .map((each) => restrictionItem(dc(call), each, { operation: 'read', parts, slice: { start: 0, limit } }))
  return { viewContentRestrictions: { results, start: 0, limit: results.length, size: results.length } }
}

export function allRestrictions(call: ApiCall, node: ContentNode): WikiResponse {
  const { slice, expand } = restrictionCall(call)
  const part = (operation: 'read' | 'update') =>
    restrictionItem(dc(call), node, { operation, parts: expand.get(operation) ?? expand, slice })
  return ok({ read: part('read'), update: part('update'), _links: dcLinks(call) })
}

export function oneRestriction(call: ApiCall, node: ContentNode): WikiResponse {
  const { slice, expand } = restrictionCall(call)
  const operation = call.params.operation
  if (operation !== 'read' && operation !== 'update')
    throw new WikiError(400, `Unknown operation ${operation}`)
  return ok({
    ...restrictionItem(dc(call), node, { operation, parts: expand, slice }),
    _links: dcLinks(call),
  })
}

/** Unlike Cloud, fields are returned only with `expand`. */
function restrictionCall(call: ApiCall) {
  refuseForbidden(call)
  const slice = {
    start: wholeNumber(call, 'start', 0),
    limit: cappedLimit(call, 100, call.world.settings.nestedLimit),
  }
  return { slice, expand: parseExpand(call.query.get('expand')) }
}

function refuseForbidden(call: ApiCall): void {
  if (call.account.forbidden) throw new WikiError(403, 'User not permitted to view restrictions')
}
