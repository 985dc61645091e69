import { z } from 'zod'
import type { WikiSearch } from './client.ts'
import { COMMENT_BODY, COMMENT_INFO, toComment, toCommentInfo } from './content/comments.ts'
import { idsOf } from './id-set.ts'
import { countPages } from './listing/count-pages.ts'
import { explainFilterError, pageCommentsCql, spaceCommentsCql, spacePagesCql } from './listing/cql.ts'
import { commentResponse, id } from './responses.ts'
import type { WikiTransport } from './transport/transport.ts'

/** Comments come with their bodies, so a response holds fewer. */
const COMMENTS_PER_REQUEST = 50

type Search<T> = { doing: string; cql: string; expand?: string; limit?: number; item: z.ZodType<T> }

/** Searches content of the wiki, at most `limit` results in one response. */
export type SearchPages = <T extends { id: string }>(
  search: Search<T>,
  signal: AbortSignal,
) => AsyncIterable<T[]>

/** The search of a deployment; they differ only in the request. */
export function searchClient(transport: WikiTransport, searchPages: SearchPages): WikiSearch {
  const comments = async (search: Omit<Search<never>, 'item'>, signal: AbortSignal) =>
    (await Array.fromAsync(searchPages({ ...search, item: commentResponse }, signal))).flat()
  return {
    matching: async (query, signal) => {
      const search = { doing: `filtering the pages of space ${query.space.key}`, cql: spacePagesCql(query) }
      return idsOf(searchPages({ ...search, item: z.object({ id }) }, signal)).catch(
        explainFilterError(query.cql),
      )
    },
    pageCount: (space, signal) => countPages(transport, space, signal),
    commentsIn: async function* (space, signal) {
      const search = { doing: `listing the comments of space ${space.key}`, cql: spaceCommentsCql(space) }
      const found = searchPages({ ...search, expand: COMMENT_INFO, item: commentResponse }, signal)
      for await (const rows of found) yield rows.flatMap(toCommentInfo)
    },
    commentInfosOf: async (pageIds, signal) => {
      const search = { doing: 'listing comments', cql: pageCommentsCql(pageIds), expand: COMMENT_INFO }
      return (await comments(search, signal)).flatMap(toCommentInfo)
    },
    commentsOf: async (pageIds, signal) => {
      const search = { doing: 'reading comments', cql: pageCommentsCql(pageIds), expand: COMMENT_BODY }
      return (await comments({ ...search, limit: COMMENTS_PER_REQUEST }, signal)).flatMap(toComment)
    },
  }
}
