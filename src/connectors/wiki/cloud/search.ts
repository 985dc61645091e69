import { z } from 'zod'
import type { WikiSearch } from '../client.ts'
import { COMMENT_BODY, COMMENT_INFO, toComment, toCommentInfo } from '../content/comments.ts'
import { explainFilterError, pageCommentsCql, spaceCommentsCql, spacePagesCql } from '../listing/cql.ts'
import * as wire from '../responses.ts'
import { listReaders, PAGE } from '../transport/lists.ts'
import type { WikiTransport } from '../transport/transport.ts'

/** The search lags, so a missing id proves nothing. */
export function searchByIds(
  transport: WikiTransport,
  asked: { doing: string; ids: string[]; query: { expand: string; limit: string } },
  signal: AbortSignal,
): Promise<wire.FoundResponse[]> {
  const query = { cql: `id in (${asked.ids.join(',')})`, ...asked.query }
  const question = { doing: asked.doing, path: '/rest/api/content/search', query }
  return listReaders(transport).all(question, wire.foundAnswer, signal)
}

export function cloudSearch(transport: WikiTransport): WikiSearch {
  const { all } = listReaders(transport)
  const search = <T extends z.ZodType>(asked: Asked<T>, signal: AbortSignal) => {
    const { doing, item, ...query } = asked
    return all({ doing, path: '/rest/api/content/search', query }, item, signal)
  }

  return {
    matching: async ({ space, cql }, signal) => {
      const asked = {
        doing: `filtering the pages of space ${space.key}`,
        cql: spacePagesCql(space, cql),
        limit: PAGE,
      }
      const rows = await search({ ...asked, item: z.object({ id: wire.id }) }, signal).catch(
        explainFilterError(cql),
      )
      return new Set(rows.map(({ id }) => id))
    },
    commentsIn: async (space, signal) => {
      const asked = { doing: `listing the comments of space ${space.key}`, cql: spaceCommentsCql(space) }
      const item = wire.commentAnswer
      return (await search({ ...asked, expand: COMMENT_INFO, limit: PAGE, item }, signal)).flatMap(
        toCommentInfo,
      )
    },
    commentsOf: async (pageIds, signal) => {
      const asked = { doing: 'reading comments', cql: pageCommentsCql(pageIds) }
      const item = wire.commentAnswer
      return (await search({ ...asked, expand: COMMENT_BODY, limit: '50', item }, signal)).flatMap(toComment)
    },
  }
}

type Asked<T> = { doing: string; cql: string; limit: string; expand?: string; item: T }
