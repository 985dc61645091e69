import type { Search, SearchElement, SearchRequest } from '../../src/connectors/search.ts'

export type HitsRequest = Omit<SearchRequest, 'depth'> & { size: number; from: number }

/** A page of a destination's own results, without the check of the service. */
export async function searchHits(
  search: Search,
  { size, from, ...request }: HitsRequest,
  signal: AbortSignal,
): Promise<{ total: number; hits: (SearchElement & { score: number })[] }> {
  const { total, ranked } = await search.rank({ ...request, depth: from + size }, signal)
  const page = ranked.slice(from, from + size)
  const { query, tokens } = request
  const found = await search.elements({ keys: page.map(({ key }) => key), tokens, query }, signal)
  const hits = page.flatMap(({ key, score }) => {
    const element = found.get(key)
    return element ? [{ ...element, score }] : []
  })
  return { total, hits }
}
