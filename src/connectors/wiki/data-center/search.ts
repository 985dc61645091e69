import { z } from 'zod'
import type { WikiSearch } from '../client.ts'
import { searchClient } from '../search-client.ts'
import type { UrlQuery } from '../transport/site.ts'
import type { WikiTransport } from '../transport/transport.ts'
import { readWindows } from './offsets.ts'

export function dataCenterSearch(transport: WikiTransport): WikiSearch {
  return searchClient(transport, async function* ({ doing, cql, expand, item }, signal) {
    // `content/search` leaves out archived spaces.
    const query: UrlQuery = { cql, includeArchivedSpaces: 'true', excerpt: 'none' }
    if (expand) query.expand = expand.replaceAll(/[^,]+/g, 'content.$&')
    const found = z.object({ content: item }).transform(({ content }) => content)
    const request = { doing, path: '/rest/api/search', query, item: found }
    for await (const { rows } of readWindows(transport, request, signal)) yield rows
  })
}
