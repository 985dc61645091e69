import type { SearchFilters } from '../connectors/search.ts'
import type { SearchOptions } from './shapes/search-request.ts'

/** The filters of a request with lists for values; empty ones are left out. */
export function toFilters(filters: SearchOptions['filters'] = {}): SearchFilters {
  const lists = [
    ...(['space_key', 'labels', 'ancestors', 'author', 'filetype'] as const),
    ...(['record_id', 'path_in_archive'] as const),
  ]
  const given = lists.flatMap((name) => {
    const values = [filters[name] || []].flat()
    return values.length > 0 ? [[name, values] as const] : []
  })
  const ranges = (['created', 'modified'] as const).flatMap((name) => {
    const bounds = Object.entries(filters[name] ?? {}).filter(([, date]) => date !== undefined)
    return bounds.length > 0 ? [[name, Object.fromEntries(bounds)] as const] : []
  })
  return Object.fromEntries([...given, ...ranges])
}
