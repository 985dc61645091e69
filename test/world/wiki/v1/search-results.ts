import { type Content, pageOf, type Space } from '../model/model.ts'
import { cappedLimit, cursorPage, type Order, wholeNumber } from '../paging.ts'
import { searchContent } from '../search/search.ts'
import { contentItem, webuiOf } from './content.ts'
import { baseOf, type Expand, parseExpand, type V1Context } from './expand.ts'
import type { JsonItem } from './item-parts.ts'

/** `GET /search` of both sites: results with their content, and how many there are. */
export function searchResults(context: V1Context): JsonItem {
  const { call, site } = context
  const start = wholeNumber(call, 'start', 0)
  const limit = call.query.get('limit') === '0' ? 0 : cappedLimit(call, 25, 250)
  const { found, query } = searchContent(call, site)
  const order: Order<Content> = { name: query.orderName, compare: () => 0, id: ({ id }) => id }
  const { items, next } = cursorPage(call, found.slice(start), { limit, order })
  const expand = parseExpand(call.query.get('expand')).get('content') ?? parseExpand(null)
  return {
    results: items.map((content) => resultItem(context, content, expand)),
    start,
    limit,
    size: items.length,
    totalSize: found.length,
    cqlQuery: call.query.get('cql'),
    searchDuration: 1,
    _links: {
      base: baseOf(context),
      ...(next === undefined ? {} : { next: nextLink(context, next, start + items.length) }),
    },
  }
}

/** Cloud continues by cursor, Data Center by offset. */
function nextLink({ site }: V1Context, query: URLSearchParams, start: number): string {
  if (site === 'cloud') query.delete('start')
  else {
    query.delete('cursor')
    query.set('start', String(start))
  }
  return `/rest/api/search?${query}`
}

function resultItem(context: V1Context, content: Content, expand: Expand): JsonItem {
  const { world } = context.call
  const page = pageOf(world, content)
  const space = world.spaces.get(page?.spaceId ?? '')
  const item = contentItem(context, content, expand)
  const links = item._links as { webui?: string }
  return {
    content: item,
    title: content.title,
    excerpt: '',
    url: links.webui ?? '',
    ...(space === undefined ? {} : { resultGlobalContainer: containerOf(space) }),
    ...('pageId' in content && page !== undefined
      ? { resultParentContainer: { title: page.title, displayUrl: webuiOf(world, page, context.site) } }
      : {}),
    breadcrumbs: [],
    entityType: 'content',
    iconCssClass: `aui-icon content-type-${content.kind}`,
    lastModified: content.version.when,
    friendlyLastModified: content.version.when.slice(0, 10),
    score: 0,
  }
}

const containerOf = ({ name, key }: Space): JsonItem => ({ title: name, displayUrl: `/spaces/${key}` })
