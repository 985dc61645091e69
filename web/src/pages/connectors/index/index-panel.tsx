import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconScale, IconTool } from '@tabler/icons-react'
import { useState } from 'react'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { TextLink } from '../../../components/links.tsx'
import { useNotices } from '../../../components/notices.tsx'
import { Panel } from '../../../components/panel.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useAction } from '../../../service/action.ts'
import { useApi, useWorkspace } from '../../../service/session.ts'
import { connectorsTexts } from '../../../texts/connectors.ts'
import { count } from '../../../texts/times.ts'
import type { Finding, Repaired, Verdict } from '../types.ts'

const texts = connectorsTexts.contents

/** Whether the index holds what was written into it, and the mending of what it does not. */
export function IndexPanel({ id, allowed }: { id: string; allowed: boolean }) {
  const api = useApi()
  const notices = useNotices()
  const [asking, setAsking] = useState(false)
  const compare = useAction(() => api.post<Verdict>(`/destinations/${id}/verify`), {
    afterwards: (verdict) => {
      repair.reset()
      notices.announce(lineOf(verdict))
    },
  })
  const repair = useAction(
    // Whoever confirms has read how many go.
    () => api.post<Repaired>(`/destinations/${id}/repair`, { approve_deletions: true }),
    { says: texts.repairing, showsError: false, refreshes: ['/jobs'], afterwards: () => compare.reset() },
  )
  const verdict = compare.data
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconScale size={16} />}
          loading={compare.isPending}
          disabled={!allowed}
          onClick={() => compare.mutate()}
        >
          {texts.compare}
        </Button>
      }
    >
      {repair.data ? <Mended repaired={repair.data} /> : null}
      {verdict ? (
        <Stack gap="md">
          <Group gap="sm" justify="space-between">
            <Group gap="xs">
              <StateBadge state={verdict.ok ? 'SUCCESS' : 'warning'} />
              <Text size="sm">{lineOf(verdict)}</Text>
            </Group>
            {verdict.ok ? null : (
              <Button size="xs" leftSection={<IconTool size={16} />} onClick={() => setAsking(true)}>
                {texts.repair}
              </Button>
            )}
          </Group>
          {verdict.foreign_elements > 0 ? (
            <Text size="sm" c="dimmed">
              {texts.foreign(verdict.foreign_elements)}
            </Text>
          ) : null}
          <DataTable
            label={texts.spaces}
            columns={spaceColumns}
            rows={verdict.spaces}
            rowId={({ space_key }) => space_key}
            empty={<Text c="dimmed">{texts.empty}</Text>}
          />
          {verdict.findings.length > 0 ? (
            <DataTable
              label={texts.findings}
              columns={findingColumns}
              rows={verdict.findings}
              rowId={({ kind, record_id }) => `${kind} ${record_id}`}
              empty={null}
            />
          ) : null}
          {verdict.more_findings > 0 ? <Text size="sm">{texts.more(verdict.more_findings)}</Text> : null}
        </Stack>
      ) : null}
      <ConfirmDialog
        opened={asking}
        title={texts.repairTitle}
        confirm={texts.repair}
        destructive={verdict !== undefined && sumOf(verdict, 'extra') > 0}
        onConfirm={() => repair.mutateAsync()}
        onClose={() => setAsking(false)}
      >
        {verdict ? texts.repairText(numbersOf(verdict)) : null}
      </ConfirmDialog>
    </Panel>
  )
}

function Mended({ repaired: { removed_elements: removed, jobs } }: { repaired: Repaired }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <Alert variant="outline" mb="md" title={texts.repaired(removed)}>
      {jobs.map(({ id }) => (
        <TextLink key={id} to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId: id }}>
          {texts.job}
        </TextLink>
      ))}
    </Alert>
  )
}

type Space = Verdict['spaces'][number]

const spaceColumns: Column<Space>[] = [
  { id: 'space', header: texts.space, cell: ({ space_key }) => space_key, sortBy: (row) => row.space_key },
  figure('documents'),
  figure('elements', true),
  figure('missing'),
  figure('different'),
  figure('extra'),
]

function figure(
  id: 'documents' | 'elements' | 'missing' | 'different' | 'extra',
  wide = false,
): Column<Space> {
  return {
    id,
    header: texts[id],
    align: 'figure',
    wide,
    cell: (row) => count(row[id]),
    sortBy: (row) => row[id],
  }
}

const findingColumns: Column<Finding>[] = [
  { id: 'kind', header: texts.kind, cell: ({ kind }) => texts.kinds[kind], sortBy: ({ kind }) => kind },
  {
    id: 'document',
    header: texts.document,
    cell: ({ record_id }) => <span className="mono">{record_id}</span>,
  },
  { id: 'elements', header: texts.elements, align: 'figure', wide: true, cell: (row) => count(row.elements) },
  { id: 'reason', header: texts.reason, wide: true, cell: ({ reason }) => reason },
]

function numbersOf(verdict: Verdict) {
  return { missing: sumOf(verdict, 'missing') + sumOf(verdict, 'different'), extra: sumOf(verdict, 'extra') }
}

function sumOf({ spaces }: Verdict, what: 'elements' | 'missing' | 'different' | 'extra'): number {
  return spaces.reduce((sum, space) => sum + space[what], 0)
}

function lineOf(verdict: Verdict): string {
  return verdict.ok ? texts.agrees(sumOf(verdict, 'elements')) : texts.differs(numbersOf(verdict))
}
