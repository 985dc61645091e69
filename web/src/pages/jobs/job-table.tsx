import { Checkbox, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { TextLink } from '../../components/links.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { useWorkspace } from '../../service/session.ts'
import type { Job } from '../../service/types.ts'
import { bulkTexts } from '../../texts/bulk.ts'
import { jobsTexts as texts } from '../../texts/jobs.ts'
import { stateTexts } from '../../texts/states.ts'
import { count, duration, exactTime } from '../../texts/times.ts'
import { isSelectable } from './bulk/bulk.ts'
import { JobState } from './job-state.tsx'
import { durationMs } from './overview/job-numbers.ts'

type Props = {
  jobs: Job[] | undefined
  empty: ReactNode
  /** The ids of selected runs; absent if the person may not act on runs. */
  selection?: { ids: string[]; onChange: (ids: string[]) => void } | undefined
}

export function JobTable({ jobs, empty, selection }: Props) {
  const { id: workspaceId } = useWorkspace()
  const columns: Column<Job>[] = [
    ...(selection && jobs?.some(isSelectable) ? [selectColumn(selection)] : []),
    {
      id: 'workflow',
      header: texts.columns.workflow,
      card: 'title',
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
      card: 'state',
      cell: (job) => <StateCell job={job} />,
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
      align: 'end',
      hideOnPhone: true,
      cell: ({ runtime }) => runtimeText(runtime),
      sortBy: ({ runtime }) => durationMs(runtime),
    },
    {
      id: 'documents',
      header: texts.columns.documents,
      align: 'end',
      hideOnPhone: true,
      cell: ({ found }) => count(found),
      sortBy: ({ found }) => found,
    },
    {
      id: 'failed',
      header: texts.columns.failed,
      align: 'end',
      cell: ({ counts }) => <Failed failed={counts.failed} />,
      sortBy: ({ counts }) => counts.failed,
    },
    {
      id: 'by',
      header: texts.columns.by,
      hideOnPhone: true,
      cell: startedBy,
      sortBy: startedBy,
    },
  ]
  return (
    <DataTable
      label={texts.title}
      columns={columns}
      rows={jobs}
      rowId={({ id }) => id}
      initialSort={{ by: 'started', direction: 'descending' }}
      empty={empty}
      selected={({ id }) => selection?.ids.includes(id) ?? false}
    />
  )
}

function selectColumn({ ids, onChange }: NonNullable<Props['selection']>): Column<Job> {
  return {
    id: 'select',
    header: bulkTexts.column,
    hiddenHeader: true,
    card: 'select',
    width: 40,
    cell: (job) =>
      isSelectable(job) ? (
        <Checkbox
          aria-label={bulkTexts.select(texts.open(job.workflow_name, exactTime(job.created_at)))}
          checked={ids.includes(job.id)}
          onChange={({ currentTarget: { checked } }) =>
            onChange(checked ? [...ids, job.id] : ids.filter((id) => id !== job.id))
          }
        />
      ) : null,
  }
}

/** The person, key or schedule that started a run. */
function startedBy({ started_by: { kind, name } }: Job): string {
  return texts.startedBy[kind](name)
}

function runtimeText(runtime: string | null): string {
  const ms = durationMs(runtime)
  return ms === null ? texts.notStarted : duration(ms)
}

/** The status, and the number of held-back removals. */
function StateCell({ job }: { job: Job }) {
  return (
    <Group gap={4}>
      <JobState job={job} />
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
