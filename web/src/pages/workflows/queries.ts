import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../service/session.ts'
import type { Job, Workflow } from '../../service/types.ts'
import type { Providers } from './types.ts'

const PAGE = 100

/** All of them: the service gives a hundred at most at a time. */
export function useAllWorkflows() {
  const api = useApi()
  return useQuery({
    ...api.query<Workflow[]>('/workflows'),
    queryFn: async ({ signal }) => {
      const all: Workflow[] = []
      for (let page = 1; ; page++) {
        const query = { page, page_size: PAGE, sort_by: 'name' }
        const some = await api.get<Workflow[]>('/workflows', { query, signal })
        all.push(...some)
        if (some.length < PAGE) return all
      }
    },
  })
}

const EVERY_MS = 5000

/** All jobs, newest first; looked at again and again while one of them is under way. */
export function useJobs() {
  return useQuery({
    ...useApi().query<Job[]>('/jobs/'),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? EVERY_MS : false),
  })
}

/** Nobody's, until the service has told. */
export function useProviders(): Providers {
  return useQuery(useApi().query<Providers>('/models')).data ?? []
}

export function isUnderWay({ status }: Pick<Job, 'status'>): boolean {
  return status === 'SCHEDULED' || status === 'IN_PROGRESS'
}
