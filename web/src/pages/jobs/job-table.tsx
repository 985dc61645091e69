import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { TextLink } from '../../components/links.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { useWorkspace } from '../../service/session.ts'
import type { Job } from '../../service/types.ts'
import { jobsTexts as texts } from '../../texts/jobs.ts'
import { stateTexts } from '../../texts/states.ts'
import { count, duration, exactTime } from '../../texts/times.ts'
import { durationMs } from './overview/figures.ts'
import { starterOf } from './starter.ts'

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
      sortBy: ({ processing_status: state }) => stateTexts[state],
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
      cell: ({ found }) => count(found),
      sortBy: ({ found }) => found,
    },
    {
      id: 'failed',
      header: texts.columns.failed,
      align: 'figure',
      cell: ({ counts }) => <Failed failed={counts.failed} />,
      sortBy: ({ counts }) => counts.failed,
    },
    {
      id: 'by',
      header: texts.columns.by,
      wide: true,
      cell: starterOf,
      sortBy: starterOf,
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

/** "Completed" hides failed documents and held-back removals. */
function JobState({ job }: { job: Job }) {
  return (
    <Group gap={4}>
      <StateBadge state={job.processing_status} />
      {job.held_back > 0 ? <StateBadge state="warning" label={texts.heldBack(job.held_back)} /> : null}
    </Group>
  )
}

function Failed({ failed }: { failed: number }) {
  return (
    <Text span inherit c={failed === 0 ? 'dimmed' : 'var(--mr-bad)'} fw={failed === 0 ? undefined : 600}>
      {count(failed)}
    </Text>
  )
}
