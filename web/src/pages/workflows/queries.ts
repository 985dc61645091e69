import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../service/session.ts'
import type { Job, ResponseOf, Workflow } from '../../service/types.ts'
import { isActive } from '../jobs/types.ts'
import type { Providers } from './types.ts'

/** By name; the service returns at most 100 at a time. */
export function useAllWorkflows(enabled = true) {
  return useQuery({ ...useApi().list<Workflow>('/workflows', { limit: 100, sort_by: 'name' }), enabled })
}

const POLL_MS = 5000

/** Newest first; polled while one is active. */
export function useJobs() {
  return useQuery({
    ...useApi().query<Job[]>('/jobs/'),
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? POLL_MS : false),
  })
}

export type WorkflowRun = ResponseOf<'GET /api/v1/workflows/{id}/runs'>[number]

const RUNS = 30

/** The last ones of a workflow, newest first; polled while one is active. */
export function useRuns(workflowId: string) {
  return useQuery({
    ...useApi().query<WorkflowRun[]>(`/workflows/${workflowId}/runs`, { limit: RUNS }),
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? POLL_MS : false),
  })
}

/** Empty while loading. */
export function useProviders(enabled = true): Providers {
  return useQuery({ ...useApi().query<Providers>('/models'), enabled }).data ?? []
}
