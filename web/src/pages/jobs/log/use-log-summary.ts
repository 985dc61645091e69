import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../service/session.ts'
import type { LiveJob } from '../live-job.ts'
import { summarizeLog } from './log-summary.ts'

/** Reads the log once while the job runs, and again at its end. */
export function useLogSummary({ job, mode, startedAt }: LiveJob) {
  const api = useApi()
  const ended = mode === 'ended'
  const query = useQuery({
    queryKey: [...api.query(`/jobs/${job.id}/log`).queryKey, ended],
    queryFn: async ({ signal }) => {
      const { body } = await api.open(`/jobs/${job.id}/log`, { signal, headers: { accept: 'text/plain' } })
      return summarizeLog(body ? body.pipeThrough(new TextDecoderStream()) : emptyText())
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Shows the old summary until the new one is complete.
    placeholderData: (before) => before,
  })
  // How much of the run the log covers.
  const coveredMs = startedAt === null ? 0 : query.dataUpdatedAt - startedAt
  return { ...query, coveredMs }
}

async function* emptyText(): AsyncGenerator<string> {}
