import { listOf } from '../responses.ts'
import type { UrlQuery } from '../transport/site.ts'
import { isNotFound, statusOfError, type WikiTransport } from '../transport/transport.ts'
import * as wire from './responses.ts'

type Lookup = { doing: string; ids: string[]; expand: string; limit: number }

export type ContentByIds = ReturnType<typeof contentByIds>

/** Content of any kind by ids, without drafts; some may be missing. */
export function contentByIds({ send }: Pick<WikiTransport, 'send'>) {
  let ignoresIds = false

  /** Null if the server cannot say. */
  async function list(lookup: Lookup, signal: AbortSignal): Promise<wire.ContentResponse[] | null> {
    if (ignoresIds) return null
    const query = { ids: lookup.ids, status: ['current', 'archived', 'trashed'] }
    const rows = await rowsOf({ ...lookup, path: '/rest/api/content', query }, signal).catch(nullIfRefused)
    const wanted = new Set(lookup.ids)
    if (rows?.every(({ id }) => wanted.has(id))) return rows
    ignoresIds ||= rows !== null
    return null
  }

  /** The next link miscounts if the server lowers `limit`. */
  async function rowsOf(
    { doing, ids, expand, limit, path, query }: Lookup & { path: string; query: UrlQuery },
    signal: AbortSignal,
  ): Promise<wire.ContentResponse[]> {
    const rows = new Map<string, wire.ContentResponse>()
    for (let start = 0; rows.size < ids.length; ) {
      const window = { ...query, expand, start: String(start), limit: String(limit) }
      const response = listOf(wire.contentResponse)
      const { results, _links } = await send({ doing, path, query: window, response }, signal)
      const before = rows.size
      for (const row of results) rows.set(row.id, { ...row, _links: { ..._links, ...row._links } })
      if (rows.size === before || !_links?.next) break
      start += results.length
    }
    return [...rows.values()]
  }

  return {
    /** From the list of content, which does not lag; nothing if an older server ignores the ids. */
    listed: async (lookup: Lookup, signal: AbortSignal) => (await list(lookup, signal)) ?? [],
    /** Also from the search, which lags and knows current content of current spaces. */
    found: async (lookup: Lookup, signal: AbortSignal) => {
      const query = { cql: `id in (${lookup.ids.join(',')})` }
      const search = { ...lookup, path: '/rest/api/content/search', query }
      return (await list(lookup, signal)) ?? rowsOf(search, signal)
    },
  }
}

function nullIfRefused(error: unknown): null {
  if (isNotFound(error) || statusOfError(error) === 400) return null
  throw error
}
