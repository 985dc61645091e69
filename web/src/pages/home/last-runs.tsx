import { type Column, DataTable } from '../../components/data-table.tsx'
import { TextLink } from '../../components/links.tsx'
import { Panel } from '../../components/panel.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useWorkspace } from '../../service/session.ts'
import { homeTexts } from '../../texts/home.ts'
import { jobsTexts } from '../../texts/jobs.ts'
import { duration, exactTime } from '../../texts/times.ts'
import { JobState } from '../jobs/job-state.tsx'
import { durationMs } from '../jobs/overview/job-numbers.ts'
import type { Overview } from './types.ts'

const texts = homeTexts.runs
type Run = Overview['last_runs'][number]

export function LastRuns({ overview: { last_runs: runs } }: { overview: Overview }) {
  const { id: workspaceId } = useWorkspace()
  const columns: Column<Run>[] = [
    {
      id: 'workflow',
      header: jobsTexts.columns.workflow,
      card: 'title',
      cell: ({ id, workflow_name: name, created_at: at }) => (
        <TextLink
          to="/w/$workspaceId/jobs/$jobId"
          params={{ workspaceId, jobId: id }}
          fw={500}
          aria-label={jobsTexts.open(name, exactTime(at))}
        >
          {name}
        </TextLink>
      ),
    },
    {
      id: 'state',
      header: jobsTexts.columns.state,
      card: 'state',
      cell: (job) => <JobState job={job} />,
    },
    {
      id: 'started',
      header: jobsTexts.columns.started,
      cell: ({ created_at: at }) => <RelativeTime at={at} />,
    },
    {
      id: 'runtime',
      header: jobsTexts.columns.runtime,
      align: 'end',
      hideOnPhone: true,
      cell: ({ runtime }) => {
        const ms = durationMs(runtime)
        return ms === null ? jobsTexts.notStarted : duration(ms)
      },
    },
  ]
  return (
    <Panel
      title={texts.title}
      actions={
        <TextLink to="/w/$workspaceId/jobs" params={{ workspaceId }}>
          {texts.all}
        </TextLink>
      }
    >
      <DataTable label={texts.list} columns={columns} rows={runs} rowId={({ id }) => id} empty={null} />
    </Panel>
  )
}
