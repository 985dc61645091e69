import { z } from 'zod'
import type { WikiSearch } from '../client.ts'
import { COMMENT_BODY, COMMENT_INFO, toComment, toCommentInfo } from '../content/comments.ts'
import { idsOf } from '../id-set.ts'
import { countPages } from '../listing/count-pages.ts'
import { explainFilterError, pageCommentsCql, spaceCommentsCql, spacePagesCql } from '../listing/cql.ts'
import * as wire from '../responses.ts'
import { listReaders, PAGE_SIZE } from '../transport/lists.ts'
import type { WikiTransport } from '../transport/transport.ts'

/** By default the search finds no archived pages. */
const WITH_ARCHIVED = JSON.stringify({ contentStatuses: ['current', 'archived'] })

/** The search lags, so a missing id proves nothing. */
export function searchByIds(
  transport: WikiTransport,
  input: { doing: string; ids: string[]; query: { expand: string; limit: string } },
  signal: AbortSignal,
): Promise<wire.FoundResponse[]> {
  const query = { cql: `id in (${input.ids.join(',')})`, cqlcontext: WITH_ARCHIVED, ...input.query }
  const request = { doing: input.doing, path: '/rest/api/content/search', query }
  return listReaders(transport).all(request, wire.foundResponse, signal)
}

export function cloudSearch(transport: WikiTransport): WikiSearch {
  const { pages } = listReaders(transport)
  const searchPages = <T extends z.ZodType>(input: SearchInput<T>, signal: AbortSignal) => {
    const { doing, item, ...query } = input
    return pages({ doing, path: '/rest/api/content/search', query }, item, signal)
  }
  const search = async <T extends z.ZodType>(input: SearchInput<T>, signal: AbortSignal) =>
    (await Array.fromAsync(searchPages(input, signal))).flat()

  return {
    matching: async (query, signal) => {
      const input = {
        doing: `filtering the pages of space ${query.space.key}`,
        cql: spacePagesCql(query),
        limit: PAGE_SIZE,
      }
      return idsOf(searchPages({ ...input, item: z.object({ id: wire.id }) }, signal)).catch(
        explainFilterError(query.cql),
      )
    },
    pageCount: (space, signal) => countPages(transport, space, signal),
    commentsIn: async function* (space, signal) {
      const input = { doing: `listing the comments of space ${space.key}`, cql: spaceCommentsCql(space) }
      const item = wire.commentResponse
      for await (const rows of searchPages(
        { ...input, expand: COMMENT_INFO, limit: PAGE_SIZE, item },
        signal,
      ))
        yield rows.flatMap(toCommentInfo)
    },
    commentInfosOf: async (pageIds, signal) => {
      const input = { doing: 'listing comments', cql: pageCommentsCql(pageIds), expand: COMMENT_INFO }
      const rows = await search({ ...input, limit: PAGE_SIZE, item: wire.commentResponse }, signal)
      return rows.flatMap(toCommentInfo)
    },
    commentsOf: async (pageIds, signal) => {
      const input = { doing: 'reading comments', cql: pageCommentsCql(pageIds) }
      const item = wire.commentResponse
      return (await search({ ...input, expand: COMMENT_BODY, limit: '50', item }, signal)).flatMap(toComment)
    },
  }
}

type SearchInput<T> = { doing: string; cql: string; limit: string; expand?: string; item: T }
