import type { WikiSearch } from '../client.ts'
import * as wire from '../responses.ts'
import { searchClient } from '../search-client.ts'
import { listReaders, PAGE_SIZE } from '../transport/lists.ts'
import type { WikiTransport } from '../transport/transport.ts'

const PATH = '/rest/api/content/search'
/** By default the search finds no archived pages. */
const WITH_ARCHIVED = JSON.stringify({ contentStatuses: ['current', 'archived'] })

/** The search lags, so a missing id proves nothing. */
export function searchByIds(
  transport: WikiTransport,
  { doing, ids, expand }: { doing: string; ids: string[]; expand: string },
  signal: AbortSignal,
): Promise<wire.FoundResponse[]> {
  const query = { cql: `id in (${ids.join(',')})`, cqlcontext: WITH_ARCHIVED, expand, limit: PAGE_SIZE }
  return listReaders(transport).all({ doing, path: PATH, query }, wire.foundResponse, signal)
}

export function cloudSearch(transport: WikiTransport): WikiSearch {
  const { pages } = listReaders(transport)
  return searchClient(transport, ({ doing, cql, expand, limit = PAGE_SIZE, item }, signal) => {
    const query = { cql, ...(expand ? { expand } : {}), limit: String(limit) }
    return pages({ doing, path: PATH, query }, item, signal)
  })
}
