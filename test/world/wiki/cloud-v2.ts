import { bodyValue, labelId, webuiOf } from './content.ts'
import { type Answer, type Call, ok, Refusal, type Route, route } from './http.ts'
import { ancestorsOf, childrenOf, type Node, type NodeKind, type Space } from './model.ts'
import { byNumber, cursorPage, type Order, v2Limit } from './paging.ts'
import { sees, seesSpace } from './truth.ts'
import { attachments, oneAttachment } from './v2-attachments.ts'
import { v2Page } from './v2-page.ts'
import { cloudV2SpaceRoutes } from './v2-spaces.ts'

/** `/wiki/api/v2`: lists by cursor. */
export const cloudV2Routes: Route[] = [
  ...cloudV2SpaceRoutes,
  route('GET /spaces/{id}/pages', 'read:page', pagesOfSpace),
  route('GET /pages', 'read:page', (call) => nodeList(call, 'page')),
  route('GET /pages/{id}', 'read:page', (call) => oneNode(call, 'page')),
  route('GET /blogposts', 'read:blogpost', (call) => nodeList(call, 'blogpost')),
  route('GET /blogposts/{id}', 'read:blogpost', (call) => oneNode(call, 'blogpost')),
  route('GET /folders/{id}', 'read:folder', folder),
  route('GET /pages/{id}/ancestors', 'read:hierarchical-content', (call) => ancestors(call, 'page')),
  route('GET /folders/{id}/ancestors', 'read:hierarchical-content', (call) => ancestors(call, 'folder')),
  route('GET /pages/{id}/descendants', 'read:hierarchical-content', descendants),
  route('GET /pages/{id}/children', 'read:page', (call) =>
    related(call, childrenOf(call.world, visibleNode(call, 'page').id)),
  ),
  route('GET /pages/{id}/labels', 'read:label', labels),
  route('GET /pages/{id}/attachments', 'read:attachment', (call) =>
    attachments(call, visibleNode(call, 'page').id),
  ),
  route('GET /attachments', 'read:attachment', (call) => attachments(call, undefined)),
  route('GET /attachments/{id}', 'read:attachment', oneAttachment),
  ...[
    '/footer-comments',
    '/inline-comments',
    '/pages/{id}/footer-comments',
    '/pages/{id}/inline-comments',
  ].map((path) => route(`GET ${path}`, 'read:comment', (call) => v2Page(call, [], { order: byId }))),
  route('POST /admin-key', '', adminKey),
]

const byId: Order<{ id: string }> = { name: 'id', compare: byNumber, id: (item) => item.id }

const sorts: Record<string, (a: Node, b: Node) => number> = {
  id: byNumber,
  'created-date': (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt),
  'modified-date': (a, b) => Date.parse(a.version.when) - Date.parse(b.version.when),
  title: (a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0),
}

function pagesOfSpace(call: Call): Answer {
  const { id } = visibleSpace(call)
  return nodeList(call, 'page', (node) => node.spaceId === id && inDepth(call, node))
}

function nodeList(call: Call, kind: NodeKind, also: (node: Node) => boolean = () => true): Answer {
  const { world, account, query } = call
  const ids = csv(call, 'id', 250)
  const spaceIds = csv(call, 'space-id', 100)
  const statuses = statusesOf(call, ['current', 'archived', 'deleted', 'trashed'])
  const title = query.get('title')
  const format = listFormat(call)
  const order = sortOf(call)
  const limit = v2Limit(call)
  const found: Node[] = []
  const candidates =
    ids === undefined ? world.nodes.values() : [...ids].flatMap((id) => world.nodes.get(id) ?? [])
  for (const node of candidates) {
    if (node.kind !== kind || !statuses.has(node.status) || (title !== null && node.title !== title)) continue
    if (spaceIds !== undefined && !spaceIds.has(node.spaceId)) continue
    if (also(node) && sees(world, account, node)) found.push(node)
  }
  found.sort(order.compare)
  const page = cursorPage(call, found, { limit, order })
  return v2Page(call, page, { wording: (node) => pageItem(call, node, format) })
}

function oneNode(call: Call, kind: NodeKind): Answer {
  const draft = call.query.get('get-draft') === 'true'
  const node = visibleNode(call, kind, draft ? ['draft', 'current'] : undefined)
  const format = call.query.get('body-format')
  if (format !== null && !singleFormats.has(format)) throw badFormat(format)
  const item = pageItem(call, node, format)
  if (call.query.get('include-labels') === 'true') {
    const results = node.labels.map((name) => ({ id: labelId(name), name, prefix: 'global' }))
    item.labels = {
      results,
      meta: { hasMore: false, cursor: null },
      _links: { self: `/wiki/api/v2/pages/${node.id}/labels` },
    }
  }
  return ok({ ...item, _links: { ...(item._links as object), base: call.places.cloudUrl } })
}

function folder(call: Call): Answer {
  const node = visibleNode(call, 'folder')
  const { body: _, ...item } = pageItem(call, node, null)
  return ok({ ...item, type: 'folder' })
}

/** Top to bottom, without a cursor: more than the limit means asking again from the first id. */
function ancestors(call: Call, kind: NodeKind): Answer {
  const node = visibleNode(call, kind)
  const limit = v2Limit(call)
  const above = ancestorsOf(call.world, node).slice(-limit)
  return ok({
    results: above.map(({ id, kind: type }) => ({ id, type })),
    _links: { base: call.places.cloudUrl },
  })
}

function descendants(call: Call): Answer {
  const node = visibleNode(call, 'page')
  const depth = Number(call.query.get('depth') ?? 5)
  if (!(depth >= 1 && depth <= 10)) throw new Refusal(400, 'depth must be between 1 and 10')
  let level = [node.id]
  const found: Node[] = []
  for (let at = 0; at < depth && level.length > 0; at++) {
    const below = level.flatMap((id) => childrenOf(call.world, id))
    found.push(...below)
    level = below.map(({ id }) => id)
  }
  return related(call, found.sort(byNumber))
}

function related(call: Call, nodes: Node[]): Answer {
  const shown = nodes.filter((node) => sees(call.world, call.account, node))
  const page = cursorPage(call, shown, { limit: v2Limit(call), order: byId })
  return v2Page(call, page, {
    wording: ({ id, status, title, kind, parentId, position, spaceId }) => ({
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

function labels(call: Call): Answer {
  const items = visibleNode(call, 'page').labels.map((name) => ({
    id: labelId(name),
    name,
    prefix: 'global',
  }))
  return v2Page(call, cursorPage(call, items.sort(byNumber), { limit: v2Limit(call), order: byId }), {})
}

function adminKey(call: Call): Answer {
  if (!call.account.admin) throw new Refusal(403, 'Only an administrator may activate an admin key')
  const minutes = Number(JSON.parse(call.body === '' ? '{}' : call.body).durationInMinutes ?? 10)
  call.account.adminKeyUntil = Date.now() + minutes * 60_000
  return ok({
    accountId: call.account.accountId,
    expirationTime: new Date(call.account.adminKeyUntil).toISOString(),
  })
}

function visibleNode(call: Call, kind: NodeKind, also?: string[]): Node {
  const node = call.world.nodes.get(call.params.id ?? '')
  const statuses =
    also === undefined
      ? statusesOf(call, ['current', 'archived', 'trashed', 'deleted', 'historical', 'draft'])
      : new Set(also)
  if (node === undefined || node.kind !== kind || !statuses.has(node.status)) throw notFound()
  if (!sees(call.world, call.account, node)) throw notFound()
  return node
}

function visibleSpace(call: Call): Space {
  const space = call.world.spaces.get(call.params.id ?? '')
  if (space === undefined || !seesSpace(call.world, call.account, space)) throw notFound()
  return space
}

const inDepth = (call: Call, node: Node): boolean =>
  call.query.get('depth') !== 'root' || node.parentId === null

function pageItem(call: Call, node: Node, format: string | null): Record<string, unknown> {
  const value = format === null ? undefined : bodyValue({ call, site: 'cloud' }, node, format)
  const { id, status, title, spaceId, parentId, position, authorId, createdAt, version } = node
  return {
    id,
    status,
    title,
    spaceId,
    parentId,
    parentType: parentId === null ? null : (call.world.nodes.get(parentId)?.kind ?? null),
    position,
    authorId,
    ownerId: authorId,
    lastOwnerId: null,
    subtype: null,
    createdAt,
    version: {
      createdAt: version.when,
      message: version.message,
      number: version.number,
      minorEdit: version.minorEdit,
      authorId: version.by,
    },
    body: value === undefined ? {} : { [format as string]: { representation: format, value } },
    _links: {
      editui: `/pages/resumedraft.action?draftId=${id}`,
      webui: webuiOf(call.world, node),
      tinyui: `/x/${Number(id).toString(36)}`,
    },
  }
}

function sortOf(call: Call): Order<Node> {
  const text = call.query.get('sort') ?? 'id'
  const compare = sorts[text.replace(/^-/, '')]
  if (compare === undefined) throw new Refusal(400, `Provided value {${text}} for 'sort' is not valid`)
  const sign = text.startsWith('-') ? -1 : 1
  return { name: text, compare: (a, b) => sign * compare(a, b) || byNumber(a, b), id: (node) => node.id }
}

function statusesOf(call: Call, allowed: string[]): Set<string> {
  const asked = call.query.getAll('status').flatMap((text) => text.split(','))
  const wrong = asked.find((status) => !allowed.includes(status))
  if (wrong !== undefined) throw new Refusal(400, `Provided value {${wrong}} for 'status' is not valid`)
  return new Set(asked.length === 0 ? ['current', 'archived'] : asked)
}

function csv(call: Call, name: string, most: number): Set<string> | undefined {
  const asked = call.query.getAll(name).flatMap((text) => text.split(','))
  if (asked.length === 0) return undefined
  if (asked.length > most)
    throw new Refusal(400, `At most ${most} values are allowed for '${name}', but there were ${asked.length}`)
  const wrong = asked.find((text) => !/^\d+$/.test(text))
  if (wrong !== undefined)
    throw new Refusal(
      400,
      `Provided value {${wrong}} for '${name}' is not the correct type. Expected type is long`,
    )
  return new Set(asked)
}

/** Lists render nothing: only the stored forms are allowed there. */
function listFormat(call: Call): string | null {
  const format = call.query.get('body-format')
  if (format !== null && format !== 'storage' && format !== 'atlas_doc_format') throw badFormat(format)
  return format
}

const singleFormats = new Set([
  'storage',
  'atlas_doc_format',
  'view',
  'export_view',
  'anonymous_export_view',
  'styled_view',
  'editor',
])
const badFormat = (format: string): Refusal =>
  new Refusal(400, `Provided value {${format}} for 'body-format' is not valid here`)
const notFound = (): Refusal => new Refusal(404, 'Not Found')
