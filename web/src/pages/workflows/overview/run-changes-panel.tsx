import { Alert, Group, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { DocumentLink } from '../../../components/document-link.tsx'
import { TextLink } from '../../../components/links.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useCursor } from '../../../service/cursor.ts'
import { useApi, useWorkspace } from '../../../service/session.ts'
import type { Workflow } from '../../../service/types.ts'
import { stateTexts } from '../../../texts/states.ts'
import { count } from '../../../texts/times.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { localTime } from '../schedule/schedules.ts'
import classes from './overview.module.css'
import type { ChangedDocument, RunChanges, WorkflowRun } from './types.ts'

const texts = workflowsTexts.overview.runChanges
const changes = ['new', 'changed', 'removed', 'failed'] as const
type Filter = 'all' | (typeof changes)[number]
const PAGE = 50

/** The documents that differ between two chosen runs. */
export function RunChangesPanel({ workflow, runs }: { workflow: Workflow; runs: WorkflowRun[] }) {
  const ended = runs.filter(({ seconds }) => seconds !== null)
  const [chosen, setChosen] = useState<{ from?: string; to?: string }>({})
  const [filter, setFilter] = useState<Filter>('all')
  const from = chosen.from ?? ended[1]?.job_id
  const to = chosen.to ?? ended[0]?.job_id
  const cursor = useCursor(`${from} ${to} ${filter}`)
  const found = useQuery({
    ...useApi().query<RunChanges>(`/jobs/${from}/differences`, {
      to,
      change: filter === 'all' ? undefined : filter,
      after: cursor.at,
      limit: PAGE,
    }),
    enabled: from !== undefined && to !== undefined,
    placeholderData: (before) => before,
  })
  if (ended.length < 2) return null
  const options = ended.map((run) => ({ value: run.job_id, label: runText(run) }))
  const totals = found.data?.totals
  const label = (each: Filter) => {
    if (!totals) return texts.filters[each]
    const all = changes.reduce((sum, change) => sum + totals[change], 0)
    return `${texts.filters[each]} ${count(each === 'all' ? all : totals[each])}`
  }
  return (
    <Panel title={texts.title} description={texts.description}>
      <Stack gap="md">
        <Group gap="md" align="flex-end">
          <Select
            label={texts.from}
            data={options}
            value={from ?? null}
            allowDeselect={false}
            flex="1 1 240px"
            onChange={(id) => id && setChosen({ ...chosen, from: id })}
          />
          <Select
            label={texts.to}
            data={options}
            value={to ?? null}
            allowDeselect={false}
            flex="1 1 240px"
            onChange={(id) => id && setChosen({ ...chosen, to: id })}
          />
        </Group>
        <SegmentedControl
          aria-label={texts.filter}
          value={filter}
          onChange={(next) => setFilter(next as Filter)}
          data={(['all', ...changes] as const).map((each) => ({ value: each, label: label(each) }))}
          style={{ alignSelf: 'flex-start', maxWidth: '100%', flexWrap: 'wrap' }}
        />
        {found.data && !found.data.complete ? (
          <Alert variant="outline" icon={<IconInfoCircle size={18} />} p="sm">
            {texts.incomplete}
          </Alert>
        ) : null}
        {found.isError && !found.data ? (
          <QueryFailure query={found} />
        ) : (
          <DataTable
            label={texts.list}
            columns={columnsOf(workflow.id)}
            rows={found.data?.items}
            rowId={({ record_id: id }) => id}
            paging={cursor.paging(found.data?.next)}
            empty={<Text c="dimmed">{texts.empty}</Text>}
          />
        )}
      </Stack>
    </Panel>
  )
}

function columnsOf(workflowId: string): Column<ChangedDocument>[] {
  return [
    {
      id: 'document',
      header: texts.columns.document,
      cell: ({ record_id: id, title, error }) => (
        <>
          <DocumentLink recordId={id} workflowId={workflowId}>
            {title || id}
          </DocumentLink>
          {error ? (
            <Text size="xs" c="dimmed" className={classes.error}>
              {error.message}
            </Text>
          ) : null}
        </>
      ),
    },
    {
      id: 'change',
      header: texts.columns.change,
      width: 176,
      cell: ({ change, permissions_only: only }) => (
        <StateBadge
          state={only && change === 'changed' ? 'permissions_only' : change}
          label={only && change === 'changed' ? stateTexts.permissions_only : stateTexts[change]}
        />
      ),
    },
    {
      id: 'job',
      header: texts.columns.job,
      hideOnPhone: true,
      width: 120,
      cell: ({ job_id: jobId }) => <JobLink jobId={jobId} />,
    },
  ]
}

function JobLink({ jobId }: { jobId: string }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <TextLink size="sm" to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId }}>
      {texts.openJob}
    </TextLink>
  )
}

function runText({ created_at: at, new: added, changed, removed, failed }: WorkflowRun): string {
  return texts.run(localTime(new Date(at)), added + changed + removed + failed)
}
