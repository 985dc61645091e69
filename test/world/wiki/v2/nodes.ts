import { canSee } from '../access/truth.ts'
import { type ApiCall, ok, WikiError, type WikiResponse } from '../http.ts'
import type { Comment, ContentNode, NodeKind, Version } from '../model/model.ts'
import { nodeVersion, nodeVersions } from '../model/versions.ts'
import { byNumber, cursorPage, type Order, v2Limit } from '../paging.ts'
import { bodyValue } from '../v1/body.ts'
import { labelId, webuiOf } from '../v1/content.ts'
import { v2Page } from './page.ts'
import { idFilter, listFormat, singleFormat, statusesOf, v2NotFound, visibleNode } from './parameters.ts'

/** Pages and blog posts of v2. A list offers only the stored body formats, a single page every format. */
export function nodeList(
  call: ApiCall,
  kind: NodeKind,
  matches: (node: ContentNode) => boolean = () => true,
): WikiResponse {
  const { world, account, query } = call
  const ids = idFilter(call, 'id', 250)
  const spaceIds = idFilter(call, 'space-id', 100)
  // Blog posts cannot be archived.
  const statuses =
    kind === 'blogpost'
      ? statusesOf(call, ['current', 'deleted', 'trashed'], ['current'])
      : statusesOf(call, ['current', 'archived', 'deleted', 'trashed'])
  const title = query.get('title')
  const format = listFormat(call)
  const order = sortOf(call)
  const limit = v2Limit(call)
  const found: ContentNode[] = []
  const candidates =
    ids === undefined ? world.nodes.values() : [...ids].flatMap((id) => world.nodes.get(id) ?? [])
  for (const node of candidates) {
    if (node.kind !== kind || !statuses.has(node.status) || (title !== null && node.title !== title)) continue
    if (spaceIds !== undefined && !spaceIds.has(node.spaceId)) continue
    if (matches(node) && canSee(world, account, node)) found.push(node)
  }
  found.sort(order.compare)
  const page = cursorPage(call, found, { limit, order })
  return v2Page(call, page, { toItem: (node) => pageItem(call, node, format) })
}

export function oneNode(call: ApiCall, kind: NodeKind): WikiResponse {
  const draft = call.query.get('get-draft') === 'true'
  const latest = visibleNode(call, kind, draft ? ['draft', 'current'] : undefined)
  const node = requestedVersion(call, latest)
  const format = singleFormat(call)
  const item = pageItem(call, node, format)
  if (call.query.get('include-labels') === 'true') {
    const results = node.labels.map((name) => ({ id: labelId(name), name, prefix: 'global' }))
    item.labels = {
      results,
      meta: { hasMore: false, cursor: null },
      _links: { self: `/wiki/api/v2/${kind}s/${node.id}/labels` },
    }
  }
  return ok({ ...item, _links: { ...(item._links as object), base: call.urls.cloudUrl } })
}

/** `version` names an earlier version by its number. */
function requestedVersion(call: ApiCall, latest: ContentNode): ContentNode {
  const number = call.query.get('version')
  if (number === null) return latest
  if (!/^\d+$/.test(number))
    throw new WikiError(400, `Provided value {${number}} for 'version' is not the correct type`)
  const node = nodeVersion(call.world, latest, number)
  if (node === undefined) throw v2NotFound()
  return node
}

/** Newest first; with bodies at most 50 at a time. */
export function nodeVersionList(call: ApiCall, kind: NodeKind): WikiResponse {
  const latest = visibleNode(call, kind)
  const format = listFormat(call)
  const limit = Math.min(v2Limit(call), format === null ? 250 : 50)
  const order = { name: 'version', compare: () => 0, id: (node: ContentNode) => String(node.version.number) }
  const page = cursorPage(call, nodeVersions(call.world, latest), { limit, order })
  return v2Page(call, page, {
    toItem: (node) => ({
      ...versionItem(node.version),
      [kind]: {
        id: node.id,
        title: node.title,
        ...(format === null ? {} : { body: bodyOf(call, node, format) }),
      },
    }),
  })
}

const sorts: Record<string, (a: ContentNode, b: ContentNode) => number> = {
  id: byNumber,
  'created-date': (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt),
  'modified-date': (a, b) => Date.parse(a.version.when) - Date.parse(b.version.when),
  title: (a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0),
}

function sortOf(call: ApiCall): Order<ContentNode> {
  const text = call.query.get('sort') ?? 'id'
  const compare = sorts[text.replace(/^-/, '')]
  if (compare === undefined) throw new WikiError(400, `Provided value {${text}} for 'sort' is not valid`)
  const sign = text.startsWith('-') ? -1 : 1
  return { name: text, compare: (a, b) => sign * compare(a, b) || byNumber(a, b), id: (node) => node.id }
}

export function pageItem(call: ApiCall, node: ContentNode, format: string | null): Record<string, unknown> {
  const { id, status, title, spaceId, authorId, createdAt, version } = node
  return {
    id,
    status,
    title,
    spaceId,
    ...(node.kind === 'blogpost' ? {} : placeOf(call, node)),
    authorId,
    createdAt,
    version: versionItem(version),
    body: bodyOf(call, node, format),
    _links: {
      editui: `/pages/resumedraft.action?draftId=${id}`,
      webui: webuiOf(call.world, node),
      tinyui: `/x/${Number(id).toString(36)}`,
    },
  }
}

/** Position in the tree; blog posts have none. */
const placeOf = (call: ApiCall, { parentId, position, authorId }: ContentNode) => ({
  parentId,
  parentType: parentId === null ? null : (call.world.nodes.get(parentId)?.kind ?? null),
  position,
  ownerId: authorId,
  lastOwnerId: null,
  subtype: null,
})

export const versionItem = ({ when, message, number, minorEdit, by }: Version) => ({
  createdAt: when,
  message,
  number,
  minorEdit,
  authorId: by,
})

export function bodyOf(
  call: ApiCall,
  content: ContentNode | Comment,
  format: string | null,
): Record<string, unknown> {
  const value = format === null ? undefined : bodyValue({ call, site: 'cloud' }, content, format)
  return value === undefined ? {} : { [format as string]: { representation: format, value } }
}
