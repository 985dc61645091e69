import { IconPlus, IconRoute } from '@tabler/icons-react'
import { useState } from 'react'
import { Bars } from '../../components/bars.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink, TextLink } from '../../components/links.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useWorkspace } from '../../service/session.ts'
import type { Job, Workflow } from '../../service/types.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'
import { useConnectors } from '../connectors/queries.ts'
import { ActiveSwitch } from './active-switch.tsx'
import { DeleteWorkflow } from './delete-workflow.tsx'
import { useAllWorkflows, useJobs } from './queries.ts'
import { RunButton } from './run-button.tsx'
import { jobsOf, runsOf, summaryOf } from './runs.ts'
import { Schedule } from './schedule/schedule.tsx'
import { WorkflowMenu } from './workflow-menu.tsx'

export function WorkflowTable({ allowed }: { allowed: boolean }) {
  const { id: workspaceId } = useWorkspace()
  const workflows = useAllWorkflows()
  const jobs = useJobs()
  const names = useConnectorNames()
  const [deleting, setDeleting] = useState<Workflow>()
  const ownJobs = ({ id }: Workflow) => jobsOf(jobs.data ?? [], id)

  const columns: Column<Workflow>[] = [
    {
      id: 'name',
      header: texts.columns.name,
      cell: ({ id, name }) => (
        <TextLink
          fw={500}
          to="/w/$workspaceId/workflows/$workflowId"
          params={{ workspaceId, workflowId: id }}
        >
          {name}
        </TextLink>
      ),
      sortBy: ({ name }) => name,
    },
    {
      id: 'path',
      header: texts.columns.path,
      wide: true,
      cell: (workflow) => names.path(workflow),
      sortBy: (workflow) => names.path(workflow),
    },
    {
      id: 'schedule',
      header: texts.columns.schedule,
      wide: true,
      cell: (workflow) => <Schedule workflow={workflow} />,
    },
    { id: 'runs', header: texts.columns.runs, cell: (workflow) => <Runs jobs={ownJobs(workflow)} /> },
    {
      id: 'active',
      header: texts.columns.active,
      // On a phone, pause it on its own page.
      wide: true,
      width: 112,
      cell: (workflow) => <ActiveSwitch workflow={workflow} disabled={!allowed} />,
      sortBy: ({ status }) => status,
    },
    {
      id: 'run',
      header: texts.columns.run,
      hiddenHeader: true,
      align: 'figure',
      width: 112,
      cell: (workflow) => <RunButton workflow={workflow} jobs={ownJobs(workflow)} allowed={allowed} />,
    },
    {
      id: 'actions',
      header: texts.columns.actions,
      hiddenHeader: true,
      align: 'figure',
      width: 48,
      cell: (workflow) => <WorkflowMenu workflow={workflow} allowed={allowed} onDelete={setDeleting} />,
    },
  ]

  if (workflows.isError) return <QueryFailure query={workflows} />
  return (
    <>
      <DataTable
        label={texts.list}
        columns={columns}
        rows={workflows.data}
        rowId={({ id }) => id}
        initialSort={{ by: 'name', direction: 'ascending' }}
        empty={
          <EmptyState
            icon={<IconRoute size={32} stroke={1.5} />}
            title={texts.empty.title}
            action={
              allowed ? (
                <ButtonLink
                  leftSection={<IconPlus size={16} />}
                  to="/w/$workspaceId/workflows/new"
                  params={{ workspaceId }}
                >
                  {texts.new}
                </ButtonLink>
              ) : undefined
            }
          >
            {texts.empty.text}
          </EmptyState>
        }
      />
      {deleting ? (
        <DeleteWorkflow
          workflow={deleting}
          destination={names.of(deleting.destinations[0])}
          onClose={() => setDeleting(undefined)}
        />
      ) : null}
    </>
  )
}

function Runs({ jobs }: { jobs: Job[] }) {
  if (jobs.length === 0) return texts.noRuns
  const bars = runsOf(jobs)
  // Bars keep their width, so that rows compare.
  return <Bars bars={bars} label={summaryOf(jobs)} width={Math.max(6, bars.length * 5)} height={24} />
}

function useConnectorNames() {
  const sources = useConnectors('source').data ?? []
  const destinations = useConnectors('destination').data ?? []
  const of = (id: string | undefined) => [...sources, ...destinations].find((each) => each.id === id)?.name
  return {
    of,
    path: (workflow: Workflow) =>
      `${of(workflow.sources[0]) ?? texts.gone} → ${of(workflow.destinations[0]) ?? texts.gone}`,
  }
}
