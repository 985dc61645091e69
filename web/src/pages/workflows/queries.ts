import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../service/session.ts'
import type { Job, Workflow } from '../../service/types.ts'
import { isActive } from '../jobs/types.ts'
import type { Providers } from './types.ts'

/** By name; the service returns at most 100 at a time. */
export function useAllWorkflows(enabled = true) {
  return useQuery({ ...useApi().list<Workflow>('/workflows', { limit: 100, sort_by: 'name' }), enabled })
}

const POLL_MS = 5000

/** Newest first; polled while one is active. */
export function useJobs(workflowId?: string) {
  return useQuery({
    ...useApi().query<Job[]>('/jobs/', workflowId ? { workflow_id: workflowId } : {}),
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? POLL_MS : false),
  })
}

/** Empty while loading. */
export function useProviders(): Providers {
  return useQuery(useApi().query<Providers>('/models')).data ?? []
}
