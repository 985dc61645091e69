import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { TextLink } from '../../../components/links.tsx'
import { Panel } from '../../../components/panel.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useApi, useWorkspace } from '../../../service/session.ts'
import { documentTexts } from '../../../texts/documents.ts'
import { count, exactTime } from '../../../texts/times.ts'
import { errorName, sentence } from '../../jobs/error-advice.ts'
import type { DocumentRun } from '../types.ts'

const texts = documentTexts.runs

/** The results of the document, newest first. */
export function DocumentRunsPanel({ recordId, workflowId }: { recordId: string; workflowId: string }) {
  const { id: workspaceId } = useWorkspace()
  const runs = useQuery(
    useApi().query<DocumentRun[]>('/documents/runs', { record_id: recordId, workflow_id: workflowId }),
  )
  return (
    <Panel title={texts.title} description={texts.description}>
      <DataTable
        label={texts.list}
        columns={columnsFor(workspaceId)}
        rows={runs.data}
        query={runs}
        rowId={({ job_id: id, at }) => `${id} ${at}`}
        empty={
          <EmptyState level={3} title={texts.emptyTitle}>
            {texts.empty}
          </EmptyState>
        }
      />
    </Panel>
  )
}

function columnsFor(workspaceId: string): Column<DocumentRun>[] {
  return [
    { id: 'at', header: texts.at, cell: ({ at }) => <RelativeTime at={at} /> },
    { id: 'state', header: texts.state, cell: ({ state }) => <StateBadge state={state} />, width: 160 },
    {
      id: 'version',
      header: texts.version,
      align: 'end',
      cell: ({ version }) => version ?? <NoValue />,
    },
    {
      id: 'elements',
      header: texts.elements,
      align: 'end',
      hideOnPhone: true,
      cell: ({ elements }) => (elements === null ? <NoValue /> : count(elements)),
    },
    {
      id: 'error',
      header: texts.error,
      cell: ({ error }) => (error ? `${errorName(error.code)}: ${sentence(error.message)}` : <NoValue />),
    },
    {
      id: 'job',
      header: texts.job,
      align: 'end',
      cell: ({ job_id: jobId, at }) => (
        <TextLink
          to="/w/$workspaceId/jobs/$jobId"
          params={{ workspaceId, jobId }}
          aria-label={texts.openJobOf(exactTime(at))}
        >
          {texts.openJob}
        </TextLink>
      ),
    },
  ]
}

function NoValue() {
  return (
    <Text span inherit c="dimmed">
      –
    </Text>
  )
}
