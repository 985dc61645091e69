import { canSee, canSeeContent, canSeeSpace } from './access/truth.ts'
import { attachmentChildren, commentChildren } from './dc-children.ts'
import { listed, scan, visibleSpace } from './dc-listing.ts'
import { dcLinks, dcPage } from './dc-page.ts'
import { allRestrictions, dcItem, oneRestriction, relevantRestrictions } from './dc-restrictions.ts'
import { atLeast } from './dc-version.ts'
import { type ApiCall, ok, type Route, route, WikiError, type WikiResponse } from './http.ts'
import { type Content, type ContentNode, contentById, isCloudOnly } from './model/model.ts'
import { nodeVersion } from './model/versions.ts'
import { searchContent } from './search/search.ts'
import { contentItem, labelList } from './v1/content.ts'
import { type Expand, parseExpand, type V1Context } from './v1/expand.ts'
import { spaceItem } from './v1/item-parts.ts'
import { searchResults } from './v1/search-results.ts'

/** `/rest/api` of Data Center: content, restrictions, spaces. */
export const contentRoutes: Route[] = [
  route('GET /content', '', (call) => contentPage(call, listed(call))),
  // Before 7.18, `scan` is read as a page id.
  route('GET /content/scan', '', (call) => {
    if (!atLeast(call.world, '7.18')) throw notFound()
    return scan(call)
  }),
  route('GET /content/search', '', (call) => contentPage(call, searched(call))),
  route('GET /search', '', (call) => ok(searchResults(dc(call)))),
  route('GET /content/{id}', '', (call) =>
    ok(
      dcItem(
        call,
        requestedVersion(call) ?? readableContent(call, ['current', 'archived']),
        parseExpand(call.query.get('expand') ?? 'space,version,history'),
      ),
    ),
  ),
  route('GET /content/{id}/child/attachment', '', (call) => attachmentChildren(call, readableNode(call))),
  route('GET /content/{id}/child/comment', '', (call) => commentChildren(call, readableContent(call))),
  route('GET /content/{id}/child/page', '', (call) => contentPage(call, childPages(call))),
  route('GET /content/{id}/label', '', (call) =>
    ok({ ...labelList(readableNode(call)), _links: dcLinks(call) }),
  ),
  route('GET /content/{id}/restriction/byOperation', '', (call) => allRestrictions(call, readableNode(call))),
  route('GET /content/{id}/restriction/byOperation/{operation}', '', (call) =>
    oneRestriction(call, readableNode(call)),
  ),
  route('GET /content/{id}/restriction/relevantViewRestrictions', '', (call) =>
    relevantRestrictions(call, readableNode(call)),
  ),
  route('GET /space', '', spaces),
  route('GET /space/{key}', '', space),
]

const dc = (call: ApiCall): V1Context => ({ call, site: 'dataCenter' })

/** 50 with a body, 200 with any other expansion, 1000 with none. */
export function dcCap(expand: Expand): number {
  if ((expand.get('body')?.size ?? 0) > 0) return 50
  return expand.size > 0 ? 200 : 1000
}

function contentPage(call: ApiCall, found: Content[]): WikiResponse {
  const expand = parseExpand(call.query.get('expand'))
  return dcPage(call, found, { cap: dcCap(expand), toItem: (each) => dcItem(call, each, expand) })
}

/** Invalid CQL is 404 here, but 400 in `GET /search`. */
function searched(call: ApiCall): Content[] {
  try {
    return searchContent(call, 'dataCenter').found
  } catch (error) {
    throw error instanceof WikiError && error.status === 400 ? new WikiError(404, error.message) : error
  }
}

function childPages(call: ApiCall): ContentNode[] {
  const parent = readableNode(call)
  const { world, account } = call
  // Here the parent is the page above the folder.
  const pageAbove = (node: ContentNode): string | null => {
    const above = world.nodes.get(node.parentId ?? '')
    return above !== undefined && isCloudOnly(above.kind) ? pageAbove(above) : node.parentId
  }
  return [...world.nodes.values()].filter(
    (node) =>
      node.kind === 'page' &&
      node.status === 'current' &&
      pageAbove(node) === parent.id &&
      canSee(world, account, node, 'dataCenter'),
  )
}

function readableNode(call: ApiCall): ContentNode {
  const found = readableContent(call)
  if ('pageId' in found) throw notFound()
  return found
}

function readableContent(call: ApiCall, statuses = ['current', 'archived', 'trashed']): Content {
  const found = contentById(call.world, call.params.id ?? '')
  const wanted = call.query.get('status')
  const allowed =
    wanted === null ? statuses : wanted === 'any' ? ['current', 'archived', 'trashed'] : [wanted]
  if (found === undefined || isCloudOnly(found.kind) || !allowed.includes(found.status)) throw notFound()
  // Trashed attachments are never returned.
  if (found.kind === 'attachment' && found.status === 'trashed') throw notFound()
  if (!canSeeContent(call.world, call.account, found, 'dataCenter')) throw notFound()
  return found
}

/** `status=historical` with a number; the current version is not historical. */
function requestedVersion(call: ApiCall): ContentNode | undefined {
  if (call.query.get('status') !== 'historical') return undefined
  const node = call.world.nodes.get(call.params.id ?? '')
  const number = call.query.get('version')
  if (node === undefined || number === null || isCloudOnly(node.kind)) throw notFound()
  if (node.status !== 'current' || !canSee(call.world, call.account, node, 'dataCenter')) throw notFound()
  const version = nodeVersion(call.world, node, number)
  if (version?.status !== 'historical') throw notFound()
  return version
}

const notFound = (): WikiError =>
  new WikiError(404, 'No content found with the given id, or no permission to view it')

function spaces(call: ApiCall): WikiResponse {
  const { world, account, query } = call
  const keys = query.getAll('spaceKey')
  const [type, status] = [query.get('type'), query.get('status')]
  refuseToExpandPermissions(call)
  const found = [...world.spaces.values()].filter(
    (each) =>
      (keys.length === 0 || keys.includes(each.key)) &&
      (type === null || each.type === type) &&
      (status === null || each.status === status) &&
      canSeeSpace(world, account, each, 'dataCenter'),
  )
  return dcPage(call, found, { cap: 500, toItem: spaceItem })
}

function space(call: ApiCall): WikiResponse {
  refuseToExpandPermissions(call)
  const found = visibleSpace(call, call.params.key ?? '')
  const homepage = call.world.nodes.get(found.homepageId ?? '')
  const expanded = parseExpand(call.query.get('expand')).has('homepage') && homepage !== undefined
  return ok({
    ...spaceItem(found),
    ...(expanded ? { homepage: contentItem(dc(call), homepage, new Map()) } : {}),
  })
}

function refuseToExpandPermissions(call: ApiCall): void {
  if (parseExpand(call.query.get('expand')).has('permissions'))
    throw new WikiError(500, 'Internal server error')
}
