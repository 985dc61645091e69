import { permissionCheck } from '../access/permission-check.ts'
import { scopes } from '../access/scopes.ts'
import { canSee, canSeeSpace } from '../access/truth.ts'
import { type ApiCall, ok, type Route, route, WikiError, type WikiResponse } from '../http.ts'
import type { Content, ContentNode } from '../model/model.ts'
import { cappedLimit, cursorPage, wholeNumber } from '../paging.ts'
import { searchContent } from '../search/search.ts'
import { cloudV1PeopleRoutes } from './cloud-people.ts'
import { contentItem } from './content.ts'
import { download } from './download.ts'
import { baseOf, contentNotFound, type Expand, parseExpand, type V1Context } from './expand.ts'
import { spaceItem } from './item-parts.ts'
import { restrictionItem } from './restrictions.ts'
import { searchResults } from './search-results.ts'

/** `/wiki/rest/api`: what remains of v1 on Cloud. */
export const cloudV1Routes: Route[] = [
  route('GET /content/search', scopes.search, contentSearch),
  route('GET /search', scopes.search, (call) => ok(searchResults(cloud(call)))),
  route('GET /content/{id}/restriction', scopes.restriction, restrictionArray),
  route('GET /content/{id}/restriction/byOperation', scopes.restriction, allRestrictions),
  route('GET /content/{id}/restriction/byOperation/{operation}', scopes.restriction, oneRestriction),
  route('POST /content/{id}/permission/check', scopes.check, (call) =>
    permissionCheck(call, readableNode(call)),
  ),
  route('GET /content/{id}/child/attachment/{attachmentId}/download', scopes.download, (call) =>
    download(call, readableNode(call)),
  ),
  ...cloudV1PeopleRoutes,
  route('GET /settings/systemInfo', scopes.systemInfo, (call) =>
    ok({ cloudId: call.world.cloudId, commitHash: 'simulated', baseUrl: call.urls.cloudUrl }),
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
  ].map((path) => route(`GET ${path}`, scopes.none, refuseRemoved)),
]

const cloud = (call: ApiCall): V1Context => ({ call, site: 'cloud' })

/** Lowers a larger limit silently: to 25 with rendered bodies, 50 with other bodies, 250 without bodies. */
export function cloudSearchCap(expand: Expand): number {
  const body = expand.get('body')
  if (body === undefined || body.size === 0) return 250
  return body.has('export_view') || body.has('styled_view') ? 25 : 50
}

function contentSearch(call: ApiCall): WikiResponse {
  const expand = parseExpand(call.query.get('expand'))
  const limit = cappedLimit(call, 25, cloudSearchCap(expand))
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

function readableNode(call: ApiCall): ContentNode {
  const node = call.world.nodes.get(call.params.id ?? '')
  const gone = node === undefined || node.status === 'draft' || node.status === 'deleted'
  if (gone || !canSee(call.world, call.account, node)) throw contentNotFound()
  return node
}

function assertNotForbidden(call: ApiCall, what: string): void {
  if (call.account.forbidden) throw new WikiError(403, `User not permitted to view ${what}`)
}

const bothLists = parseExpand('restrictions.user,restrictions.group')

function restrictionCall(call: ApiCall) {
  const node = readableNode(call)
  assertNotForbidden(call, 'restrictions')
  const slice = {
    start: wholeNumber(call, 'start', 0),
    limit: cappedLimit(call, 100, call.world.settings.nestedLimit),
  }
  // Cloud returns both lists by default.
  const expandText = call.query.get('expand')
  return { node, slice, expandText }
}

function allRestrictions(call: ApiCall): WikiResponse {
  const { node, slice, expandText } = restrictionCall(call)
  const parts = expandText === null ? bothLists : parseExpand(expandText)
  const self = `${baseOf(cloud(call))}/rest/api/content/${node.id}/restriction/byOperation`
  return ok({
    read: restrictionItem(cloud(call), node, { operation: 'read', parts, slice }),
    update: restrictionItem(cloud(call), node, { operation: 'update', parts, slice }),
    _links: { self, base: baseOf(cloud(call)), context: '/wiki' },
  })
}

/** The same as a list; here an operation may be named before what it expands. */
function restrictionArray(call: ApiCall): WikiResponse {
  const { node, slice, expandText } = restrictionCall(call)
  const wanted = parseExpand(expandText)
  const parts = (operation: string): Expand =>
    wanted.get(operation) ?? (wanted.has('restrictions') ? wanted : bothLists)
  const results = (['read', 'update'] as const).map((operation) =>
    restrictionItem(cloud(call), node, { operation, parts: parts(operation), slice }),
  )
  const base = baseOf(cloud(call))
  const self = `${base}/rest/api/content/${node.id}/restriction`
  return ok({
    results,
    ...slice,
    size: results.length,
    restrictionsHash: '',
    _links: { self, base, context: '/wiki' },
  })
}

function oneRestriction(call: ApiCall): WikiResponse {
  const { node, slice, expandText } = restrictionCall(call)
  const operation = call.params.operation
  if (operation !== 'read' && operation !== 'update')
    throw new WikiError(400, `Unknown operation ${operation}`)
  const parts = expandText === null ? bothLists : parseExpand(expandText)
  return ok(restrictionItem(cloud(call), node, { operation, parts, slice }))
}

/** Removed too, unless the setting keeps it. */
function space(call: ApiCall): WikiResponse {
  if (call.world.settings.removedV1 !== 'served') return refuseRemoved(call)
  const found = [...call.world.spaces.values()].find(({ key }) => key === call.params.key)
  if (found === undefined || !canSeeSpace(call.world, call.account, found))
    throw new WikiError(404, `No space with key : ${call.params.key}`)
  return ok(spaceItem(found))
}

function refuseRemoved(call: ApiCall): WikiResponse {
  const headers = { deprecation: 'true', warning: '299 - "Deprecated API, will be removed on 2025-03-31"' }
  if (call.world.settings.removedV1 !== 'missing')
    throw new WikiError(410, 'This deprecated endpoint has been removed.', { headers })
  throw new WikiError(404, 'null for uri', { headers })
}
