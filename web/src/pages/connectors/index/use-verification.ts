import { skipToken, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useAction } from '../../../service/action.ts'
import { useApi } from '../../../service/session.ts'
import type { Job } from '../../../service/types.ts'
import { isActive } from '../../jobs/types.ts'
import type { VerificationJob } from '../types.ts'

const POLL_MS = 1000

type Options = { onEnd(job: VerificationJob): void }

/** The comparison or repair that runs, or that this screen started last. */
export function useVerification(id: string, { onEnd }: Options) {
  const api = useApi()
  const [jobId, setJobId] = useState<string>()
  const path = `/destinations/${id}/verify`

  // Found again after a reload.
  const filter = { kind: 'verify', workflow_id: id, status: 'IN_PROGRESS' }
  const running = useQuery(api.query<Job[]>('/jobs/', filter))
  const runningId = running.data?.[0]?.id
  useEffect(() => {
    if (runningId) setJobId(runningId)
  }, [runningId])

  const query = api.query<VerificationJob>(`${path}/${jobId}`)
  const { data: job } = useQuery({
    ...query,
    queryFn: jobId ? query.queryFn : skipToken,
    refetchInterval: ({ state }) => (state.data && !isActive(state.data) ? false : POLL_MS),
  })
  const isRunning = job !== undefined && isActive(job)
  const [wasRunning, setWasRunning] = useState(false)
  useEffect(() => {
    if (isRunning) return setWasRunning(true)
    if (!job || !wasRunning) return
    setWasRunning(false)
    void api.refresh('/jobs')
    onEnd(job)
  }, [api, job, isRunning, wasRunning, onEnd])

  // Joins a comparison that runs already.
  const options = { query: { wait: 0 } }
  const started = (response: VerificationJob) => {
    setWasRunning(true)
    setJobId(response.id)
  }
  const compare = useAction(() => api.post<VerificationJob>(path, undefined, options), { onSuccess: started })
  const repair = useAction(
    // The dialog says how many elements are removed.
    () => api.post<VerificationJob>(`/destinations/${id}/repair`, { approve_deletions: true }, options),
    { showsError: false, onSuccess: started },
  )
  return { job, isRunning: isRunning || compare.isPending, compare, repair }
}
