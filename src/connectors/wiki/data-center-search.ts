import { listOf } from './answers.ts'
import * as wire from './data-center-answers.ts'
import type { Transport } from './transport.ts'

/**
 * What the search knows of these ids. It is an index and may lag, so an id that is missing says nothing. The
 * server lowers `limit` as it likes, and its next link then counts too few: the rows that came are counted here.
 */
export async function searched(
  { ask }: Transport,
  asked: { doing: string; ids: string[]; expand: string; limit: number },
  signal: AbortSignal,
): Promise<wire.ContentAnswer[]> {
  const { doing, ids, expand, limit } = asked
  const rows = new Map<string, wire.ContentAnswer>()
  for (let start = 0; rows.size < ids.length; ) {
    const query = {
      cql: `id in (${ids.join(',')})`,
      includeArchivedSpaces: 'true',
      expand,
      start: String(start),
      limit: String(limit),
    }
    const question = { doing, path: '/rest/api/content/search', query, answer: listOf(wire.contentAnswer) }
    const { results, _links } = await ask(question, signal)
    const before = rows.size
    for (const row of results) rows.set(row.id, row)
    if (rows.size === before || !_links?.next) break
    start += results.length
  }
  return [...rows.values()]
}
