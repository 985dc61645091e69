import { Group } from '@mantine/core'
import { IconPlus, IconRoute } from '@tabler/icons-react'
import { useState } from 'react'
import { Bars } from '../../components/bars.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink, TextLink } from '../../components/links.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useWorkspace } from '../../service/session.ts'
import type { Job, Workflow } from '../../service/types.ts'
import { connectTexts } from '../../texts/connect.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'
import { useConnectors } from '../connectors/queries.ts'
import { IncompleteBadge } from '../jobs/job-state.tsx'
import { SandboxBadge } from '../sandbox/sandbox-badge.tsx'
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

  if (workflows.isError) return <QueryFailure query={workflows} />
  return (
    <>
      <DataTable
        label={texts.list}
        columns={workflowColumns({ workspaceId, names, ownJobs, allowed, onDelete: setDeleting })}
        rows={workflows.data}
        rowId={({ id }) => id}
        initialSort={{ by: 'name', direction: 'ascending' }}
        empty={
          <EmptyState
            icon={<IconRoute size={32} stroke={1.5} />}
            title={texts.empty.title}
            action={
              allowed ? (
                <Group gap="xs" justify="center">
                  <ButtonLink
                    leftSection={<IconPlus size={16} />}
                    to="/w/$workspaceId/workflows/new"
                    params={{ workspaceId }}
                  >
                    {texts.new}
                  </ButtonLink>
                  <ButtonLink variant="default" to="/w/$workspaceId/connect" params={{ workspaceId }}>
                    {connectTexts.stepByStep}
                  </ButtonLink>
                </Group>
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

type ColumnOptions = {
  workspaceId: string
  names: ReturnType<typeof useConnectorNames>
  ownJobs: (workflow: Workflow) => Job[]
  allowed: boolean
  onDelete: (workflow: Workflow) => void
}

function workflowColumns({
  workspaceId,
  names,
  ownJobs,
  allowed,
  onDelete,
}: ColumnOptions): Column<Workflow>[] {
  return [
    {
      id: 'name',
      header: texts.columns.name,
      card: 'title',
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
      hideOnPhone: true,
      cell: (workflow) => (
        <Group gap="4px 8px">
          {names.path(workflow)}
          {names.isSandbox(workflow) ? <SandboxBadge /> : null}
        </Group>
      ),
      sortBy: (workflow) => names.path(workflow),
    },
    {
      id: 'schedule',
      header: texts.columns.schedule,
      hideOnPhone: true,
      cell: (workflow) => <Schedule workflow={workflow} />,
    },
    {
      id: 'runs',
      header: texts.columns.runs,
      card: 'state',
      cell: (workflow) => <Runs jobs={ownJobs(workflow)} />,
    },
    {
      id: 'active',
      header: texts.columns.active,
      // On a phone, a workflow is paused on its own page.
      hideOnPhone: true,
      width: 112,
      cell: (workflow) => <ActiveSwitch workflow={workflow} disabled={!allowed} />,
      sortBy: ({ status }) => status,
    },
    {
      id: 'run',
      header: texts.columns.run,
      hiddenHeader: true,
      align: 'end',
      width: 112,
      cell: (workflow) => <RunButton workflow={workflow} jobs={ownJobs(workflow)} allowed={allowed} />,
    },
    {
      id: 'actions',
      header: texts.columns.actions,
      hiddenHeader: true,
      card: 'select',
      align: 'end',
      width: 48,
      cell: (workflow) => <WorkflowMenu workflow={workflow} allowed={allowed} onDelete={onDelete} />,
    },
  ]
}

function Runs({ jobs }: { jobs: Job[] }) {
  if (jobs.length === 0) return texts.noRuns
  const bars = runsOf(jobs)
  const incomplete = jobs[0]?.incomplete
  return (
    <Group gap={4}>
      {/* All bars have the same width, so that rows are comparable. */}
      <Bars bars={bars} label={summaryOf(jobs)} width={Math.max(6, bars.length * 5)} height={24} />
      {incomplete ? <IncompleteBadge incomplete={incomplete} /> : null}
    </Group>
  )
}

function useConnectorNames() {
  const sources = useConnectors('source').data ?? []
  const destinations = useConnectors('destination').data ?? []
  const of = (id: string | undefined) => [...sources, ...destinations].find((each) => each.id === id)?.name
  return {
    of,
    isSandbox: (workflow: Workflow) =>
      destinations.some(({ id, sandbox }) => sandbox && workflow.destinations.includes(id)),
    path: (workflow: Workflow) =>
      `${of(workflow.sources[0]) ?? texts.noConnector} → ${of(workflow.destinations[0]) ?? texts.noConnector}`,
  }
}
