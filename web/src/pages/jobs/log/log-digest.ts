import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../service/session.ts'
import type { LiveJob } from '../live-job.ts'
import { digestOf } from './job-log.ts'

/** Reads the log once while the job runs, and again at its end. */
export function useLogDigest({ job, mode, startedAt }: LiveJob) {
  const api = useApi()
  const ended = mode === 'ended'
  const query = useQuery({
    queryKey: [...api.query(`/jobs/${job.id}/log`).queryKey, ended],
    queryFn: async ({ signal }) => {
      const { body } = await api.open(`/jobs/${job.id}/log`, { signal, headers: { accept: 'text/plain' } })
      return digestOf(body ? body.pipeThrough(new TextDecoderStream()) : none())
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Shows the old digest until the new one is complete.
    placeholderData: (before) => before,
  })
  // How much of the run it covers, in milliseconds.
  const readAt = startedAt === null ? 0 : query.dataUpdatedAt - startedAt
  return { ...query, readAt }
}

async function* none(): AsyncGenerator<string> {}
