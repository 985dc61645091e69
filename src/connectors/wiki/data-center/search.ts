import { z } from 'zod'
import type { WikiSearch } from '../client.ts'
import { COMMENT_BODY, COMMENT_INFO, toComment, toCommentInfo } from '../content/comments.ts'
import { explainFilterError, pageCommentsCql, spaceCommentsCql, spacePagesCql } from '../listing/cql.ts'
import { commentAnswer, id, listOf } from '../responses.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { readWindows } from './offsets.ts'
import * as wire from './responses.ts'

/** The search lags, so a missing id proves nothing. The next link miscounts if the server lowers `limit`. */
export async function searchContentByIds(
  { ask }: WikiTransport,
  asked: { doing: string; ids: string[]; expand: string; limit: number },
  signal: AbortSignal,
): Promise<wire.ContentResponse[]> {
  const { doing, ids, expand, limit } = asked
  const rows = new Map<string, wire.ContentResponse>()
  for (let start = 0; rows.size < ids.length; ) {
    const query = {
      cql: `id in (${ids.join(',')})`,
      includeArchivedSpaces: 'true',
      expand,
      start: String(start),
      limit: String(limit),
    }
    const question = { doing, path: '/rest/api/content/search', query, response: listOf(wire.contentAnswer) }
    const { results, _links } = await ask(question, signal)
    const before = rows.size
    for (const row of results) rows.set(row.id, row)
    if (rows.size === before || !_links?.next) break
    start += results.length
  }
  return [...rows.values()]
}

export function dataCenterSearch(transport: WikiTransport): WikiSearch {
  async function search<T extends z.ZodType<{ id: string }>>(
    { doing, item, ...query }: { doing: string; cql: string; expand?: string; item: T },
    signal: AbortSignal,
  ) {
    const path = '/rest/api/content/search'
    const question = { doing, path, query: { ...query, includeArchivedSpaces: 'true' }, item }
    const rows: z.output<T>[] = []
    for await (const window of readWindows(transport, question, signal)) rows.push(...window.rows)
    return rows
  }

  return {
    matching: async ({ space, cql }, signal) => {
      const asked = { doing: `filtering the pages of space ${space.key}`, cql: spacePagesCql(space, cql) }
      const rows = await search({ ...asked, item: z.object({ id }) }, signal).catch(explainFilterError(cql))
      return new Set(rows.map((row) => row.id))
    },
    commentsIn: async (space, signal) => {
      const asked = { doing: `listing the comments of space ${space.key}`, cql: spaceCommentsCql(space) }
      return (await search({ ...asked, expand: COMMENT_INFO, item: commentAnswer }, signal)).flatMap(
        toCommentInfo,
      )
    },
    commentsOf: async (pageIds, signal) => {
      const asked = { doing: 'reading comments', cql: pageCommentsCql(pageIds), expand: COMMENT_BODY }
      return (await search({ ...asked, item: commentAnswer }, signal)).flatMap(toComment)
    },
  }
}
