import { z } from 'zod'
import type { WikiSearch } from '../client.ts'
import { COMMENT_BODY, COMMENT_INFO, toComment, toCommentInfo } from '../content/comments.ts'
import { idsOf } from '../id-set.ts'
import { countPages } from '../listing/count-pages.ts'
import { explainFilterError, pageCommentsCql, spaceCommentsCql, spacePagesCql } from '../listing/cql.ts'
import { commentResponse, id } from '../responses.ts'
import type { UrlQuery } from '../transport/site.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { readWindows } from './offsets.ts'

export function dataCenterSearch(transport: WikiTransport): WikiSearch {
  async function* searchPages<T extends { id: string }>(
    { doing, item, cql, expand }: { doing: string; cql: string; expand?: string; item: z.ZodType<T> },
    signal: AbortSignal,
  ): AsyncGenerator<T[]> {
    // `content/search` leaves out archived spaces.
    const query: UrlQuery = { cql, includeArchivedSpaces: 'true', excerpt: 'none' }
    if (expand) query.expand = expand.replaceAll(/[^,]+/g, 'content.$&')
    const found = z.object({ content: item }).transform(({ content }): T => content)
    const request = { doing, path: '/rest/api/search', query, item: found }
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
