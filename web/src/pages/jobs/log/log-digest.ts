import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../service/session.ts'
import type { LiveJob } from '../live-job.ts'
import { digestOf } from './job-log.ts'

/** What the job's log says. Read once while it runs, and once more when it has ended. */
export function useLogDigest({ job, way, beganAt }: LiveJob) {
  const api = useApi()
  const ended = way === 'ended'
  const query = useQuery({
    queryKey: [...api.query(`/jobs/${job.id}/log`).queryKey, ended],
    queryFn: async ({ signal }) => {
      const { body } = await api.open(`/jobs/${job.id}/log`, { signal, headers: { accept: 'text/plain' } })
      return digestOf(body ? body.pipeThrough(new TextDecoderStream()) : none())
    },
    staleTime: Number.POSITIVE_INFINITY,
    // The old one stands until the whole one is there.
    placeholderData: (before) => before,
  })
  // Milliseconds of the run that it covers.
  const readAt = beganAt === null ? 0 : query.dataUpdatedAt - beganAt
  return { ...query, readAt }
}

async function* none(): AsyncGenerator<string> {}
