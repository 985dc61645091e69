import { permissionCheck } from '../access/permission-check.ts'
import { scopes } from '../access/scopes.ts'
import { sees, seesSpace } from '../access/truth.ts'
import { type Call, ok, type Route, route, WikiError, type WikiResponse } from '../http.ts'
import { attachmentById, versionOf } from '../model/attachments.ts'
import type { Content, Node } from '../model/model.ts'
import { cursorPage, loweredLimit, wholeNumber } from '../paging.ts'
import { searchContent } from '../search/search.ts'
import { cloudV1PeopleRoutes } from './cloud-people.ts'
import { contentItem } from './content.ts'
import { spaceItem } from './content-parts.ts'
import { baseOf, type Expand, parseExpand, type Wording } from './expand.ts'
import { restrictionItem } from './restrictions.ts'

/** `/wiki/rest/api`: what is left of v1 on Cloud. */
export const cloudV1Routes: Route[] = [
  route('GET /content/search', scopes.search, contentSearch),
  route('GET /content/{id}/restriction', scopes.restriction, allRestrictions),
  route('GET /content/{id}/restriction/byOperation', scopes.restriction, allRestrictions),
  route('GET /content/{id}/restriction/byOperation/{operation}', scopes.restriction, oneRestriction),
  route('POST /content/{id}/permission/check', scopes.check, (call) => permissionCheck(call, readable(call))),
  route('GET /content/{id}/child/attachment/{attachmentId}/download', scopes.download, download),
  ...cloudV1PeopleRoutes,
  route('GET /settings/systemInfo', scopes.systemInfo, (call) =>
    ok({ cloudId: call.world.cloudId, commitHash: 'simulated', baseUrl: call.places.cloudUrl }),
  ),
  route('GET /space/{key}', scopes.none, space),
  ...[
    '/content',
    '/content/{id}',
    '/space',
    '/content/{id}/child/attachment',
    '/content/{id}/child/comment',
    '/content/{id}/label',
    '/content/{id}/property',
  ].map((path) => route(`GET ${path}`, scopes.none, removed)),
]

const cloud = (call: Call): Wording => ({ call, site: 'cloud' })

/** 25 with the rendered exports, 50 with another body, 250 without one; above it the limit is lowered in silence. */
export function cloudSearchCap(expand: Expand): number {
  const body = expand.get('body')
  if (body === undefined || body.size === 0) return 250
  return body.has('export_view') || body.has('styled_view') ? 25 : 50
}

function contentSearch(call: Call): WikiResponse {
  const expand = parseExpand(call.query.get('expand'))
  const limit = loweredLimit(call, 25, cloudSearchCap(expand))
  const { found, query } = searchContent(call, 'cloud')
  const order = { name: query.orderName, compare: () => 0, id: (content: Content) => content.id }
  const page = cursorPage(call, found, { limit, order })
  const base = baseOf(cloud(call))
  return ok({
    results: page.items.map((content) => contentItem(cloud(call), content, expand)),
    start: 0,
    limit,
    size: page.items.length,
    _links: {
      base,
      context: '/wiki',
      ...(page.next === undefined
        ? {}
        : { next: `/rest/api/content/search?next=true&${withoutNext(page.next)}` }),
      self: `${base}/rest/api/content/search?${call.query}`,
    },
  })
}

function withoutNext(query: URLSearchParams): URLSearchParams {
  query.delete('next')
  return query
}

function readable(call: Call): Node {
  const node = call.world.nodes.get(call.params.id ?? '')
  const gone = node === undefined || node.status === 'draft' || node.status === 'deleted'
  if (gone || !sees(call.world, call.account, node)) throw notFound()
  return node
}

const notFound = (): WikiError =>
  new WikiError(404, 'No content found with the given id, or no permission to view it')

function mustNotBeForbidden(call: Call, what: string): void {
  if (call.account.forbidden) throw new WikiError(403, `User not permitted to view ${what}`)
}

const bothLists = parseExpand('restrictions.user,restrictions.group')

function restrictionCall(call: Call) {
  const node = readable(call)
  mustNotBeForbidden(call, 'restrictions')
  const slice = {
    start: wholeNumber(call, 'start', 0),
    limit: loweredLimit(call, 100, call.world.settings.nestedLimit),
  }
  // Cloud tells both lists unless asked for something else.
  const asked = call.query.get('expand')
  return { node, slice, asked }
}

function allRestrictions(call: Call): WikiResponse {
  const { node, slice, asked } = restrictionCall(call)
  const wanted = parseExpand(asked)
  const parts = (operation: string): Expand =>
    wanted.get(operation) ?? (wanted.has('restrictions') ? wanted : bothLists)
  const self = `${baseOf(cloud(call))}/rest/api/content/${node.id}/restriction/byOperation`
  return ok({
    read: restrictionItem(cloud(call), node, { operation: 'read', parts: parts('read'), slice }),
    update: restrictionItem(cloud(call), node, { operation: 'update', parts: parts('update'), slice }),
    _links: { self, base: baseOf(cloud(call)), context: '/wiki' },
  })
}

function oneRestriction(call: Call): WikiResponse {
  const { node, slice, asked } = restrictionCall(call)
  const operation = call.params.operation
  if (operation !== 'read' && operation !== 'update')
    throw new WikiError(400, `Unknown operation ${operation}`)
  const parts = asked === null ? bothLists : parseExpand(asked)
  return ok(restrictionItem(cloud(call), node, { operation, parts, slice }))
}

/** 302 to another host; the token in the address is all that host wants. */
function download(call: Call): WikiResponse {
  const node = readable(call)
  const attachment = attachmentById(call.world, call.params.attachmentId ?? '')
  if (attachment?.pageId !== node.id || attachment.status !== 'current') throw notFound()
  const version = versionOf(attachment, call.query.get('version'))
  if (version === undefined) throw notFound()
  const query = new URLSearchParams({
    token: `eyJ.${version.fileId}`,
    client: 'simulated',
    name: attachment.title,
  })
  return {
    status: 302,
    headers: { location: `${call.places.mediaUrl}/file/${version.fileId}/binary?${query}` },
    body: '',
  }
}

/** Removed too, unless the setting keeps this one. */
function space(call: Call): WikiResponse {
  if (call.world.settings.removedV1 !== 'served') return removed(call)
  const found = [...call.world.spaces.values()].find(({ key }) => key === call.params.key)
  if (found === undefined || !seesSpace(call.world, call.account, found))
    throw new WikiError(404, `No space with key : ${call.params.key}`)
  return ok(spaceItem(found))
}

function removed(call: Call): WikiResponse {
  const headers = { deprecation: 'true', warning: '299 - "Deprecated API, will be removed on 2025-03-31"' }
  if (call.world.settings.removedV1 !== 'missing')
    throw new WikiError(410, 'This deprecated endpoint has been removed.', { headers })
  throw new WikiError(404, 'null for uri', { headers })
}
