import type { Content } from '../model/model.ts'
import { cappedLimit, wholeNumber } from '../paging.ts'
import { searchContent } from '../search/search.ts'
import { contentItem } from './content.ts'
import { baseOf, parseExpand, type V1Context } from './expand.ts'

/** `GET /search` of both sites: results with their content, and how many there are. */
export function searchResults(context: V1Context): Record<string, unknown> {
  const { call, site } = context
  const start = wholeNumber(call, 'start', 0)
  const limit = call.query.get('limit') === '0' ? 0 : cappedLimit(call, 25, 250)
  const { found } = searchContent(call, site)
  const shown = found.slice(start, start + limit)
  const expand = parseExpand(call.query.get('expand')).get('content') ?? parseExpand(null)
  return {
    results: shown.map((content: Content) => ({
      content: contentItem(context, content, expand),
      title: content.title,
      excerpt: '',
      entityType: 'content',
    })),
    start,
    limit,
    size: shown.length,
    totalSize: found.length,
    cqlQuery: call.query.get('cql'),
    searchDuration: 1,
    _links: { base: baseOf(context) },
  }
}
