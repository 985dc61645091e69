import { Alert, Group, Text } from '@mantine/core'
import { IconLock, IconPlus, IconRoute } from '@tabler/icons-react'
import { useState } from 'react'
import { Bars } from '../../components/bars.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink, TextLink } from '../../components/links.tsx'
import { every, Loaded } from '../../components/loaded.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Time } from '../../components/relative-time.tsx'
import { useWorkspace } from '../../service/session.ts'
import type { Job, Workflow } from '../../service/types.ts'
import { may } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'
import { useConnectors } from '../connectors/queries.ts'
import type { Connector } from '../connectors/types.ts'
import { IncompleteBadge } from '../jobs/job-state.tsx'
import { SandboxBadge } from '../sandbox/sandbox-badge.tsx'
import { ActiveSwitch } from './active-switch.tsx'
import { DeleteWorkflow } from './delete-workflow.tsx'
import { useAllWorkflows, useJobs } from './queries.ts'
import { RunButton } from './run-button.tsx'
import { jobsOf, runsOf, summaryOf } from './runs.ts'
import { localTime, scheduleText } from './schedule/schedules.ts'
import { WorkflowMenu } from './workflow-menu.tsx'

export function WorkflowsPage() {
  const { role } = useWorkspace()
  const allowed = may(role, 'operator')
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={<NewButton allowed={allowed} />}
      />
      {allowed ? null : (
        <Alert variant="outline" id="no-workflows" icon={<IconLock size={18} />} mb="md">
          {texts.needsOperator(roleTexts[role].name)}
        </Alert>
      )}
      <WorkflowTable allowed={allowed} />
    </>
  )
}

function NewButton({ allowed }: { allowed: boolean }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <ButtonLink
      leftSection={<IconPlus size={16} />}
      disabled={!allowed}
      data-disabled={!allowed || undefined}
      aria-describedby={allowed ? undefined : 'no-workflows'}
      to="/w/$workspaceId/workflows/new"
      params={{ workspaceId }}
    >
      {texts.new}
    </ButtonLink>
  )
}

function WorkflowTable({ allowed }: { allowed: boolean }) {
  const workflows = useAllWorkflows()
  const connectors = every(useConnectors('source'), useConnectors('destination'))
  const jobs = useJobs()
  const [deleting, setDeleting] = useState<Workflow>()
  return (
    <>
      <DataTable
        label={texts.list}
        columns={workflowColumns({ connectors, jobs, allowed, onDelete: setDeleting })}
        rows={workflows.data}
        query={workflows}
        rowId={({ id }) => id}
        initialSort={{ by: 'name', direction: 'ascending' }}
        empty={
          <EmptyState
            icon={<IconRoute size={32} stroke={1.5} />}
            title={texts.empty.title}
            action={allowed ? <NewButton allowed /> : undefined}
          >
            {texts.empty.text}
          </EmptyState>
        }
      />
      {deleting ? <DeleteWorkflow workflow={deleting} onClose={() => setDeleting(undefined)} /> : null}
    </>
  )
}

type Connectors = [sources: Connector[], destinations: Connector[]]
type ColumnOptions = {
  connectors: ReturnType<typeof every<Connectors>>
  jobs: ReturnType<typeof useJobs>
  allowed: boolean
  onDelete: (workflow: Workflow) => void
}

function workflowColumns({ connectors, jobs, allowed, onDelete }: ColumnOptions): Column<Workflow>[] {
  return [
    {
      id: 'name',
      header: texts.columns.name,
      card: 'title',
      cell: (workflow) => <WorkflowLink workflow={workflow} />,
      sortBy: ({ name }) => name,
    },
    {
      id: 'path',
      header: texts.columns.path,
      hideOnPhone: true,
      cell: (workflow) => (
        <Loaded query={connectors} size="inline">
          {(loaded) => (
            <Group gap="4px 8px">
              {pathOf(workflow, loaded)}
              {destinationOf(workflow, loaded)?.sandbox ? <SandboxBadge /> : null}
            </Group>
          )}
        </Loaded>
      ),
      sortBy: (workflow) => (connectors.data ? pathOf(workflow, connectors.data) : null),
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
      cell: ({ id }) => (
        <Loaded query={jobs} size="inline">
          {(all) => <Runs jobs={jobsOf(all, id)} />}
        </Loaded>
      ),
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
      cell: (workflow) => (
        <RunButton
          workflow={workflow}
          last={lastOf(jobsOf(jobs.data ?? [], workflow.id))}
          allowed={allowed}
        />
      ),
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

function lastOf([last]: Job[]) {
  return last && { ...last, found: last.counts.discovered }
}

function WorkflowLink({ workflow: { id, name } }: { workflow: Workflow }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <TextLink fw={500} to="/w/$workspaceId/workflows/$workflowId" params={{ workspaceId, workflowId: id }}>
      {name}
    </TextLink>
  )
}

/** In words, with the next local time. */
function Schedule({ workflow }: { workflow: Workflow }) {
  const { schedule, schedule_timezone: timezone, next_run_at: next } = workflow
  const cron = schedule.crontab_entries[0]?.cron_expression
  if (!cron) {
    return (
      <Text size="sm" c="dimmed">
        {texts.form.never}
      </Text>
    )
  }
  return (
    <>
      <Text size="sm">{scheduleText(cron, timezone)}</Text>
      <Text size="xs" c="dimmed" component="div">
        {next ? <Time at={next} text={texts.nextRun(localTime(new Date(next)))} /> : texts.paused}
      </Text>
    </>
  )
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

function destinationOf({ destinations: [id] }: Workflow, connectors: Connectors | undefined) {
  return connectors?.[1].find((each) => each.id === id)
}

function pathOf(workflow: Workflow, connectors: Connectors): string {
  const source = connectors[0].find(({ id }) => id === workflow.sources[0])
  return `${source?.name ?? texts.noConnector} → ${destinationOf(workflow, connectors)?.name ?? texts.noConnector}`
}
