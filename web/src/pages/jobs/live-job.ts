import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useNotices } from '../../components/notices.tsx'
import { useApi } from '../../service/session.ts'
import type { Job } from '../../service/types.ts'
import { jobTexts as texts } from '../../texts/jobs.ts'
import { stateTexts } from '../../texts/states.ts'
import { followJob } from './follow-job.ts'
import { durationMs } from './overview/job-numbers.ts'
import { isActive, type JobDetails, type Progress } from './types.ts'

/** Fetches values that events omit, such as who started the job. */
const STREAMING_REFETCH_MS = 5000
const POLL_MS = 2000
const RATE_MS = 10_000
// A chart cannot show more.
const MAX_RATES = 90

export type LiveJob = {
  job: Job
  details: JobDetails
  progress: Progress | undefined
  /** Documents per second, every ten seconds since the screen opened. */
  rates: Rate[]
  mode: 'stream' | 'polling' | 'ended'
  /** By this browser's clock; null while waiting. */
  startedAt: number | null
}

/** Follows a job by events while it runs, else by polling. */
export function useLiveJob(jobId: string): {
  live: LiveJob | undefined
  failure: UseQueryResult | undefined
} {
  const api = useApi()
  const client = useQueryClient()
  const notices = useNotices()
  const [streaming, setStreaming] = useState(true)
  const [received, setReceived] = useState<Received>(NOTHING_RECEIVED)
  const refetchMs = streaming ? STREAMING_REFETCH_MS : POLL_MS
  const job = useQuery({
    ...api.query<Job>(`/jobs/${jobId}`),
    refetchInterval: ({ state }) => (state.data && isActive(state.data) ? refetchMs : false),
  })
  const active = job.data !== undefined && isActive(job.data)
  const detailsQuery = api.query<JobDetails>(`/jobs/${jobId}/details`)
  const details = useQuery({ ...detailsQuery, refetchInterval: active ? refetchMs : false })
  const runtimeMs = durationMs(job.data?.runtime)
  const startedAt = runtimeMs === null ? null : job.dataUpdatedAt - runtimeMs
  const latest = useRef({ startedAt, state: details.data?.processing_status })
  latest.current = { startedAt, state: details.data?.processing_status }

  // biome-ignore lint/correctness/useExhaustiveDependencies: one stream per running job.
  useEffect(() => {
    if (!active) return
    const stop = new AbortController()
    // The service sends about one event a second, which screen readers can follow.
    const show = (progress: Progress) => {
      const ms = Date.now() - (latest.current.startedAt ?? Date.now())
      const at = RATE_MS * Math.floor(ms / RATE_MS)
      const rate = { at, documents: progress.rates.documents_per_second }
      setReceived(({ rates }) => ({
        progress,
        rates: [...rates.filter((each) => each.at !== at), rate].slice(-MAX_RATES),
      }))
      client.setQueryData<JobDetails>(detailsQuery.queryKey, (now) => now && withProgress(now, progress))
      notices.announce(texts.progress(progress.counts.discovered, progress.found))
    }
    void followJob(api, jobId, {
      signal: stop.signal,
      onStreaming: setStreaming,
      onProgress: show,
      onWarning: () => void api.refresh(`/jobs/${jobId}/details`),
      onDone: () => void api.refresh(`/jobs/${jobId}`),
    })
    return () => {
      stop.abort()
      // The job ended or the screen closed: discard the received progress.
      setReceived(NOTHING_RECEIVED)
      void api.refresh('/jobs', '/workflows', '/overview', '/sandbox').then(() => {
        if (latest.current.state) notices.announce(texts.ended(stateTexts[latest.current.state]))
      })
    }
  }, [api, jobId, active])

  const mode = !active ? 'ended' : streaming ? 'stream' : 'polling'
  return {
    live: job.data && details.data && { job: job.data, details: details.data, ...received, mode, startedAt },
    failure: job.isError ? job : details.isError ? details : undefined,
  }
}

export type Rate = { at: number; documents: number }
type Received = { progress: Progress | undefined; rates: Rate[] }
const NOTHING_RECEIVED: Received = { progress: undefined, rates: [] }

function withProgress(now: JobDetails, progress: Progress): JobDetails {
  const { processing_status, counts, found, node_stats } = progress
  return {
    ...now,
    processing_status,
    counts,
    node_stats,
    summary: {
      total_docs: found,
      total_docs_succeeded: counts.new + counts.changed + counts.unchanged,
      total_docs_failed: counts.failed,
    },
  }
}
