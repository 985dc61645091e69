import { skipToken, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useNotices } from '../../../components/notices.tsx'
import { useAction } from '../../../service/action.ts'
import { useApi } from '../../../service/session.ts'
import type { Job, Workflow } from '../../../service/types.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { isActive } from '../../jobs/types.ts'
import type { Freshness } from './freshness.ts'

const texts = workflowsTexts.permissions

const POLL_MS = 1000
/** Finds passes that the schedule started. */
const IDLE_POLL_MS = 15_000

/** The ages of a workflow's permissions, and the last permission job seen on this screen. */
export function usePass({ id }: Workflow) {
  const api = useApi()
  const notices = useNotices()
  const [jobId, setJobId] = useState<string>()
  const path = `/workflows/${id}/freshness`

  const jobQuery = api.query<Job>(`/jobs/${jobId}`)
  const { data: job } = useQuery({
    ...jobQuery,
    queryFn: jobId ? jobQuery.queryFn : skipToken,
    refetchInterval: ({ state }) => (state.data && isActive(state.data) ? POLL_MS : false),
  })
  const isReading = job !== undefined && isActive(job)
  const freshness = useQuery({
    ...api.query<Freshness>(path),
    refetchInterval: isReading ? POLL_MS : IDLE_POLL_MS,
  })
  const runningId = freshness.data?.job_id
  useEffect(() => {
    if (runningId) setJobId(runningId)
  }, [runningId])

  // Loads the ages again when a pass ends.
  const state = job?.processing_status
  useEffect(() => {
    if (!isReading) return
    return () => void api.refresh(path, '/overview')
  }, [api, path, isReading])
  useEffect(() => {
    if (state && !isReading) notices.announce(texts.outcome(state))
  }, [notices, state, isReading])

  const start = useAction(() => api.post<Job>(`/workflows/${id}/sync-permissions`), {
    onSuccess: ({ id: started }) => setJobId(started),
  })
  return { freshness, job, isReading, start }
}
