import { useInfiniteQuery } from '@tanstack/react-query'
import { useApi } from '../../service/session.ts'
import { filtersOf } from './filters.ts'
import { useLab } from './lab-context.ts'
import type { Comparison, FacetName } from './types.ts'
import { spaceWords } from './value-words.ts'

/** The name of a space with its key, as far as the results have it. */
export function useSpaceWords(): (key: string) => string {
  const pages = useComparison().data?.pages ?? []
  return (key) => spaceWords(key, pages.find(({ space_names: names }) => names[key])?.space_names[key])
}

const PAGE_SIZE = 20
export const FACETS: FacetName[] = ['space_key', 'filetype', 'labels', 'author', 'modified']

/** Fetched once: the audit log records every search, so a refocused window must not repeat it. */
export function useComparison() {
  const api = useApi()
  const { address, destination, named } = useLab()
  const filters = filtersOf(address)
  const path = `/destinations/${destination.id}/compare`
  const body = {
    query: address.query,
    size: PAGE_SIZE,
    ...(named.length > 0 ? { people: named } : {}),
    ...(filters ? { filters } : {}),
    ...(address.differences && named.length > 1 ? { only_differences: true } : {}),
  }
  return useInfiniteQuery({
    queryKey: [...api.query(path).queryKey, body],
    queryFn: ({ pageParam, signal }) =>
      api.post<Comparison>(
        path,
        // Later pages have the same facets.
        { ...body, ...(pageParam ? { search_after: pageParam } : { facets: FACETS }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: Boolean(address.query),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}
