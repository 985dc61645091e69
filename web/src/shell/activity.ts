import { skipToken, useQuery } from '@tanstack/react-query'
import { problemEvents } from '../service/problem-events.ts'
import { useApi, useChosenWorkspace } from '../service/session.ts'
import { may, type ResponseOf } from '../service/types.ts'

// Enough for the logo and the bell; job screens follow events.
const POLL_MS = 15_000

type Activity = ResponseOf<'GET /api/v1/activity'>

/** Running jobs and unread problems of this workspace; polls only while visible. Readers see none. */
export function useActivity(): Activity {
  const api = useApi()
  const mayViewJobs = may(useChosenWorkspace()?.role, 'viewer')
  const query = api.query<Activity>('/activity', { event_types: problemEvents.join(',') })
  const { data } = useQuery({
    ...query,
    queryFn: mayViewJobs ? query.queryFn : skipToken,
    refetchInterval: POLL_MS,
  })
  return data ?? { running_jobs: 0, unread_count: 0 }
}

export function useRunningJobs(): number {
  return useActivity().running_jobs
}
