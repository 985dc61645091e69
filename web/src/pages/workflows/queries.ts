import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../service/session.ts'
import type { Job, Workflow } from '../../service/types.ts'
import { isActive } from '../jobs/types.ts'
import type { Providers } from './types.ts'

const PAGE_SIZE = 100

/** Loads all pages; the service returns at most 100 at a time. */
export function useAllWorkflows(enabled = true) {
  const api = useApi()
  return useQuery({
    ...api.query<Workflow[]>('/workflows'),
    enabled,
    queryFn: async ({ signal }) => {
      const all: Workflow[] = []
      for (let page = 1; ; page++) {
        const query = { page, page_size: PAGE_SIZE, sort_by: 'name' }
        const some = await api.get<Workflow[]>('/workflows', { query, signal })
        all.push(...some)
        if (some.length < PAGE_SIZE) return all
      }
    },
  })
}

const POLL_MS = 5000

/** Newest first; polled while one is active. */
export function useJobs() {
  return useQuery({
    ...useApi().query<Job[]>('/jobs/'),
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? POLL_MS : false),
  })
}

/** Empty while loading. */
export function useProviders(): Providers {
  return useQuery(useApi().query<Providers>('/models')).data ?? []
}
