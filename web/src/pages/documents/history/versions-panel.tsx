import { Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { TextLink } from '../../../components/links.tsx'
import { Panel } from '../../../components/panel.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { useApi, useWorkspace } from '../../../service/session.ts'
import { may } from '../../../service/types.ts'
import { documentTexts } from '../../../texts/documents.ts'
import type { Terms } from '../../../texts/nouns.ts'
import { roleTexts } from '../../../texts/roles.ts'
import { exactTime } from '../../../texts/times.ts'
import type { DocumentVersion, WorkflowDocument } from '../types.ts'
import { Changes } from './changes.tsx'

const texts = documentTexts.versions

type Props = { recordId: string; workflow: WorkflowDocument; terms: Terms }

/** What the index got, and the comparison of two versions. */
export function VersionsPanel({ recordId, workflow, terms }: Props) {
  const { id: workspaceId, role } = useWorkspace()
  const { from, to } = useSearch({ from: '/signed-in/w/$workspaceId/documents' })
  const versions = useQuery(
    useApi().query<DocumentVersion[]>('/documents/versions', {
      record_id: recordId,
      workflow_id: workflow.workflow_id,
    }),
  )
  const mayCompare = may(role, 'developer')
  return (
    <Panel title={texts.title} description={texts.description}>
      <Stack gap="md">
        <DataTable
          label={texts.list}
          columns={columnsFor(workspaceId)}
          rows={versions.data}
          query={versions}
          rowId={({ id }) => id}
          selected={({ id }) => id === from || id === to}
          empty={
            <EmptyState level={3} title={texts.emptyTitle}>
              {texts.empty}
            </EmptyState>
          }
        />
        {!mayCompare ? (
          <Text c="dimmed">{texts.needsDeveloper(roleTexts[role].name)}</Text>
        ) : versions.data ? (
          <Comparison recordId={recordId} workflow={workflow} versions={versions.data} />
        ) : versions.isError ? null : (
          <Skeleton height={56} />
        )}
        {mayCompare && from && to ? (
          <Changes recordId={recordId} workflow={workflow} from={from} to={to} terms={terms} />
        ) : null}
      </Stack>
    </Panel>
  )
}

function columnsFor(workspaceId: string): Column<DocumentVersion>[] {
  return [
    { id: 'seen', header: texts.seen, cell: ({ seen_at: at }) => <RelativeTime at={at} /> },
    { id: 'version', header: texts.version, cell: ({ version }) => version },
    {
      id: 'changed',
      header: texts.changed,
      cell: ({ changed }) => changed.map((kind) => texts.kinds[kind]).join(', ') || texts.first,
    },
    {
      id: 'job',
      header: texts.job,
      align: 'end',
      cell: ({ job_id: jobId, seen_at: at }) =>
        jobId ? (
          <TextLink
            to="/w/$workspaceId/jobs/$jobId"
            params={{ workspaceId, jobId }}
            aria-label={texts.openJobOf(exactTime(at))}
          >
            {texts.openJob}
          </TextLink>
        ) : (
          '–'
        ),
    },
  ]
}

type ComparisonProps = { recordId: string; workflow: WorkflowDocument; versions: DocumentVersion[] }

/** The last two versions are chosen first. */
function Comparison({ recordId, workflow, versions }: ComparisonProps) {
  const { id: workspaceId } = useWorkspace()
  const navigate = useNavigate()
  const search = useSearch({ from: '/signed-in/w/$workspaceId/documents' })
  const [from, setFrom] = useState(search.from ?? versions[1]?.id ?? null)
  const [to, setTo] = useState(search.to ?? versions[0]?.id ?? null)
  if (versions.length === 0) return null
  if (versions.length === 1) return <Text c="dimmed">{texts.one}</Text>
  const data = versions.map(({ id: value, version, seen_at: at }) => ({
    value,
    label: texts.option(version, exactTime(at)),
  }))
  const select = { data, allowDeselect: false, w: { base: '100%', xs: 280 } }
  return (
    <Group gap="sm" align="flex-end" role="group" aria-label={texts.compareLabel}>
      <Select label={texts.from} value={from} onChange={setFrom} {...select} />
      <Select label={texts.to} value={to} onChange={setTo} {...select} />
      <Button
        variant="default"
        onClick={() =>
          void navigate({
            to: '/w/$workspaceId/documents',
            params: { workspaceId },
            search: {
              record: recordId,
              workflow: workflow.workflow_id,
              from: from ?? undefined,
              to: to ?? undefined,
            },
            resetScroll: false,
          })
        }
      >
        {texts.compare}
      </Button>
    </Group>
  )
}
