import { scopes } from '../access/scopes.ts'
import { canSee } from '../access/truth.ts'
import { type ApiCall, ok, type Route, route, WikiError, type WikiResponse } from '../http.ts'
import { ancestorNodes, type ContentNode, childrenOf, type NodeKind } from '../model/model.ts'
import { byNumber, cursorPage, type Order, v2Limit } from '../paging.ts'
import { labelId } from '../v1/content.ts'
import { attachments, oneAttachment } from './attachments.ts'
import { cloudV2CommentRoutes } from './comments.ts'
import { nodeList, nodeVersionList, oneNode, pageItem } from './nodes.ts'
import { v2Page } from './page.ts'
import { visibleNode, visibleSpace } from './parameters.ts'
import { cloudV2SpaceRoutes } from './spaces.ts'
import { usersBulk } from './users.ts'

/** `/wiki/api/v2`: lists with cursors. */
export const cloudV2Routes: Route[] = [
  ...cloudV2SpaceRoutes,
  route('GET /spaces/{id}/pages', scopes.page, pagesOfSpace),
  route('GET /spaces/{id}/blogposts', scopes.page, (call) => {
    const { id } = visibleSpace(call)
    return nodeList(call, 'blogpost', (node) => node.spaceId === id)
  }),
  route('GET /pages', scopes.page, (call) => nodeList(call, 'page')),
  route('GET /pages/{id}', scopes.page, (call) => oneNode(call, 'page')),
  route('GET /blogposts', scopes.page, (call) => nodeList(call, 'blogpost')),
  route('GET /blogposts/{id}', scopes.page, (call) => oneNode(call, 'blogpost')),
  ...(['folder', 'whiteboard', 'database'] as const).map((kind) =>
    route(`GET /${kind}s/{id}`, scopes[kind], (call) => container(call, kind)),
  ),
  ...(['page', 'folder', 'whiteboard', 'database'] as const).flatMap((kind) => [
    route(`GET /${kind}s/{id}/ancestors`, scopes.ancestors, (call) => ancestors(call, kind)),
    route(`GET /${kind}s/{id}/descendants`, scopes.descendants, (call) => descendants(call, kind)),
    route(`GET /${kind}s/{id}/direct-children`, scopes.descendants, (call) =>
      relatedPage(call, childrenOf(call.world, visibleNode(call, kind).id)),
    ),
  ]),
  route('GET /pages/{id}/children', scopes.page, (call) =>
    relatedPage(call, childrenOf(call.world, visibleNode(call, 'page').id)),
  ),
  ...(['page', 'blogpost'] as const).flatMap((kind) => [
    route(`GET /${kind}s/{id}/versions`, scopes.page, (call) => nodeVersionList(call, kind)),
    route(`GET /${kind}s/{id}/labels`, scopes.page, (call) => labels(call, kind)),
    route(`GET /${kind}s/{id}/attachments`, scopes.attachment, (call) =>
      // Here, a status is that of the attachments.
      attachments(call, visibleNode(call, kind, ['current', 'archived']).id),
    ),
  ]),
  route('GET /attachments', scopes.attachment, (call) => attachments(call, undefined)),
  route('GET /attachments/{id}', scopes.attachment, oneAttachment),
  ...cloudV2CommentRoutes,
  route('POST /users-bulk', scopes.usersBulk, usersBulk),
  route('POST /admin-key', scopes.none, adminKey),
]

const byId: Order<{ id: string }> = { name: 'id', compare: byNumber, id: (item) => item.id }

function pagesOfSpace(call: ApiCall): WikiResponse {
  const { id } = visibleSpace(call)
  return nodeList(call, 'page', (node) => node.spaceId === id && inDepth(call, node))
}

/** Without restrictions, and with the date as a number. */
function container(call: ApiCall, kind: NodeKind): WikiResponse {
  const node = visibleNode(call, kind)
  const { body: _, ...item } = pageItem(call, node, null)
  return ok({ ...item, type: kind, createdAt: Date.parse(node.createdAt) })
}

/** Top to bottom, without a cursor: clients continue from the first id. */
function ancestors(call: ApiCall, kind: NodeKind): WikiResponse {
  const node = visibleNode(call, kind)
  const limit = v2Limit(call)
  const above = ancestorNodes(call.world, node).slice(-limit)
  return ok({
    results: above.map(({ id, kind: type }) => ({ id, type })),
    _links: { base: call.urls.cloudUrl },
  })
}

function descendants(call: ApiCall, kind: NodeKind): WikiResponse {
  const node = visibleNode(call, kind)
  const depth = Number(call.query.get('depth') ?? 2)
  if (!(depth >= 1 && depth <= 10)) throw new WikiError(400, 'depth must be between 1 and 10')
  const byParent = Map.groupBy(call.world.nodes.values(), ({ parentId }) => parentId)
  let level = [node.id]
  const found: ContentNode[] = []
  for (let at = 0; at < depth && level.length > 0; at++) {
    const below = level.flatMap((id) => byParent.get(id) ?? []).filter(({ status }) => status === 'current')
    found.push(...below)
    level = below.map(({ id }) => id)
  }
  return relatedPage(call, found.sort(byNumber))
}

function relatedPage(call: ApiCall, nodes: ContentNode[]): WikiResponse {
  const shown = nodes.filter((node) => canSee(call.world, call.account, node))
  const page = cursorPage(call, shown, { limit: v2Limit(call), order: byId })
  return v2Page(call, page, {
    toItem: ({ id, status, title, kind, parentId, position, spaceId }) => ({
      id,
      status,
      title,
      type: kind,
      parentId,
      spaceId,
      childPosition: position,
    }),
  })
}

function labels(call: ApiCall, kind: NodeKind): WikiResponse {
  const items = visibleNode(call, kind).labels.map((name) => ({
    id: labelId(name),
    name,
    prefix: 'global',
  }))
  return v2Page(call, cursorPage(call, items.sort(byNumber), { limit: v2Limit(call), order: byId }), {})
}

function adminKey(call: ApiCall): WikiResponse {
  if (!call.account.admin) throw new WikiError(403, 'Only an administrator may activate an admin key')
  const minutes = Number(JSON.parse(call.body === '' ? '{}' : call.body).durationInMinutes ?? 10)
  call.account.adminKeyUntil = Date.now() + minutes * 60_000
  return ok({
    accountId: call.account.accountId,
    expirationTime: new Date(call.account.adminKeyUntil).toISOString(),
  })
}

const inDepth = (call: ApiCall, node: ContentNode): boolean =>
  call.query.get('depth') !== 'root' || node.parentId === null
