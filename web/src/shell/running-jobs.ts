import { skipToken, useQuery } from '@tanstack/react-query'
import { useApi, useChosenWorkspace } from '../service/session.ts'

// Enough for the turning wheel; job screens follow events.
const EVERY_MS = 15_000

/** Running jobs of this workspace; polls only while visible. */
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
