import { Skeleton, Text } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { TextLink } from '../../components/links.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { useApi, useWorkspace } from '../../session.ts'
import { jobsTexts as texts } from '../../texts/jobs.ts'
import { count, duration, exactTime } from '../../times.ts'
import { durationMs } from './figures.ts'
import { isActive, type Job, type JobDetails } from './types.ts'

const BUSY_MS = 5_000

export function JobTable({ jobs, empty }: { jobs: Job[] | undefined; empty: ReactNode }) {
  const { id: workspaceId } = useWorkspace()
  const columns: Column<Job>[] = [
    {
      id: 'workflow',
      header: texts.columns.workflow,
      cell: ({ id, workflow_name: name, created_at: at }) => (
        <TextLink
          to="/w/$workspaceId/jobs/$jobId"
          params={{ workspaceId, jobId: id }}
          fw={500}
          aria-label={texts.open(name, exactTime(at))}
        >
          {name}
        </TextLink>
      ),
      sortBy: ({ workflow_name: name }) => name,
    },
    {
      id: 'state',
      header: texts.columns.state,
      cell: (job) => <JobState job={job} />,
      sortBy: ({ status }) => status,
    },
    {
      id: 'started',
      header: texts.columns.started,
      cell: ({ created_at: at }) => <RelativeTime at={at} />,
      sortBy: ({ created_at: at }) => at,
    },
    {
      id: 'runtime',
      header: texts.columns.runtime,
      align: 'figure',
      wide: true,
      cell: ({ runtime }) => runtimeText(runtime),
      sortBy: ({ runtime }) => durationMs(runtime),
    },
    {
      id: 'documents',
      header: texts.columns.documents,
      align: 'figure',
      wide: true,
      cell: (job) => <Figure job={job} of={({ summary }) => summary.total_docs} />,
    },
    {
      id: 'failed',
      header: texts.columns.failed,
      align: 'figure',
      cell: (job) => <Figure job={job} of={({ counts }) => counts.failed} bad />,
    },
    {
      id: 'by',
      header: texts.columns.by,
      wide: true,
      cell: ({ job_type: type }) => texts.startedBy[type],
      sortBy: ({ job_type: type }) => texts.startedBy[type],
    },
  ]
  return (
    <DataTable
      label={texts.list}
      columns={columns}
      rows={jobs}
      rowId={({ id }) => id}
      initialSort={{ by: 'started', direction: 'descending' }}
      empty={empty}
    />
  )
}

function runtimeText(runtime: string | null): string {
  const ms = durationMs(runtime)
  return ms === null ? texts.notStarted : duration(ms)
}

/** The list itself has no counts: a row asks for its own once it is in view, and once more when the job has ended. */
function useDetails(job: Job, asks: boolean): JobDetails | undefined {
  const api = useApi()
  const query = api.query<JobDetails>(`/jobs/${job.id}/details`)
  const active = isActive(job)
  const { data } = useQuery<JobDetails>({
    queryKey: [...query.queryKey, job.status],
    queryFn: ({ signal }) => api.get<JobDetails>(`/jobs/${job.id}/details`, { signal }),
    enabled: asks,
    placeholderData: (before) => before,
    staleTime: active ? BUSY_MS : Number.POSITIVE_INFINITY,
    refetchInterval: active ? BUSY_MS : false,
  })
  return data
}

function JobState({ job }: { job: Job }) {
  const { ref, inViewport } = useInViewport<HTMLSpanElement>()
  const details = useDetails(job, useEver(inViewport))
  // "Completed" says nothing of the documents that failed on the way; the details do.
  const state = details && !isActive(job) ? details.processing_status : job.status
  return (
    <span ref={ref}>
      <StateBadge state={state} />
    </span>
  )
}

type FigureProps = { job: Job; of: (details: JobDetails) => number; bad?: boolean }

function Figure({ job, of, bad = false }: FigureProps) {
  const details = useDetails(job, false)
  if (!details) return <Skeleton component="span" display="inline-block" height={12} width={32} />
  const number = of(details)
  if (bad && number === 0)
    return (
      <Text span inherit c="dimmed">
        0
      </Text>
    )
  return (
    <Text span inherit c={bad ? 'var(--mr-bad)' : undefined} fw={bad ? 600 : undefined}>
      {count(number)}
    </Text>
  )
}

function useEver(now: boolean): boolean {
  const ever = useRef(false)
  ever.current ||= now
  return ever.current
}
