import { z } from 'zod'
import type { WikiSearch } from '../client.ts'
import { COMMENT_BODY, COMMENT_INFO, toComment, toCommentInfo } from '../content/comments.ts'
import { idsOf } from '../id-set.ts'
import { countPages } from '../listing/count-pages.ts'
import { explainFilterError, pageCommentsCql, spaceCommentsCql, spacePagesCql } from '../listing/cql.ts'
import { commentResponse, id, listOf } from '../responses.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { readWindows } from './offsets.ts'
import * as wire from './responses.ts'

/** The search lags, so a missing id proves nothing. The next link miscounts if the server lowers `limit`. */
export async function searchContentByIds(
  { send }: WikiTransport,
  input: { doing: string; ids: string[]; expand: string; limit: number },
  signal: AbortSignal,
): Promise<wire.ContentResponse[]> {
  const { doing, ids, expand, limit } = input
  const rows = new Map<string, wire.ContentResponse>()
  for (let start = 0; rows.size < ids.length; ) {
    const query = {
      cql: `id in (${ids.join(',')})`,
      includeArchivedSpaces: 'true',
      expand,
      start: String(start),
      limit: String(limit),
    }
    const request = { doing, path: '/rest/api/content/search', query, response: listOf(wire.contentResponse) }
    const { results, _links } = await send(request, signal)
    const before = rows.size
    for (const row of results) rows.set(row.id, { ...row, _links: { ..._links, ...row._links } })
    if (rows.size === before || !_links?.next) break
    start += results.length
  }
  return [...rows.values()]
}

export function dataCenterSearch(transport: WikiTransport): WikiSearch {
  async function* searchPages<T extends z.ZodType<{ id: string }>>(
    { doing, item, ...query }: { doing: string; cql: string; expand?: string; item: T },
    signal: AbortSignal,
  ): AsyncGenerator<z.output<T>[]> {
    const path = '/rest/api/content/search'
    const request = { doing, path, query: { ...query, includeArchivedSpaces: 'true' }, item }
    for await (const { rows } of readWindows(transport, request, signal)) yield rows
  }
  const comments = async (input: { doing: string; cql: string; expand: string }, signal: AbortSignal) =>
    (await Array.fromAsync(searchPages({ ...input, item: commentResponse }, signal))).flat()

  return {
    matching: async (query, signal) => {
      const input = { doing: `filtering the pages of space ${query.space.key}`, cql: spacePagesCql(query) }
      return idsOf(searchPages({ ...input, item: z.object({ id }) }, signal)).catch(
        explainFilterError(query.cql),
      )
    },
    pageCount: (space, signal) => countPages(transport, space, signal),
    commentsIn: async function* (space, signal) {
      const input = { doing: `listing the comments of space ${space.key}`, cql: spaceCommentsCql(space) }
      for await (const rows of searchPages({ ...input, expand: COMMENT_INFO, item: commentResponse }, signal))
        yield rows.flatMap(toCommentInfo)
    },
    commentInfosOf: async (pageIds, signal) => {
      const input = { doing: 'listing comments', cql: pageCommentsCql(pageIds), expand: COMMENT_INFO }
      return (await comments(input, signal)).flatMap(toCommentInfo)
    },
    commentsOf: async (pageIds, signal) => {
      const input = { doing: 'reading comments', cql: pageCommentsCql(pageIds), expand: COMMENT_BODY }
      return (await comments(input, signal)).flatMap(toComment)
    },
  }
}
