import { skipToken, useQuery } from '@tanstack/react-query'
import { useApi, useChosenWorkspace } from '../service/session.ts'

// Often enough for a wheel that turns; screens that show a job follow its events instead.
const EVERY_MS = 15_000

/** How many jobs of this workspace run now. Asks only while the page is in view. */
export function useRunningJobs(): number {
  const api = useApi()
  const chosen = useChosenWorkspace() !== null
  const query = api.query<unknown[]>('/jobs/', { status: 'IN_PROGRESS' })
  const { data } = useQuery({
    ...query,
    queryFn: chosen ? query.queryFn : skipToken,
    refetchInterval: EVERY_MS,
  })
  return data?.length ?? 0
}
