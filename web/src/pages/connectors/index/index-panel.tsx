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
import { capitalized, type Terms } from '../../../texts/nouns.ts'
import { count } from '../../../texts/times.ts'
import { useWritersTerms } from '../source-terms.ts'
import type { Finding, Repaired, Verdict } from '../types.ts'

const texts = connectorsTexts.contents

type Props = { id: string; terms: Terms; allowed: boolean }

/** Compares the destination with what was written, and repairs differences. */
export function IndexPanel({ id, terms, allowed }: Props) {
  const api = useApi()
  const notices = useNotices()
  const [isConfirming, setConfirming] = useState(false)
  const { scope: holder } = terms
  const { scope } = useWritersTerms(id)
  const compare = useAction(() => api.post<Verdict>(`/destinations/${id}/verify`), {
    afterwards: (verdict) => {
      repair.reset()
      notices.announce(lineOf(verdict, holder))
    },
  })
  const repair = useAction(
    // The dialog says how many elements are removed.
    () => api.post<Repaired>(`/destinations/${id}/repair`, { approve_deletions: true }),
    {
      says: texts.repairing(holder),
      showsError: false,
      refreshes: ['/jobs'],
      afterwards: () => compare.reset(),
    },
  )
  const verdict = compare.data
  return (
    <Panel
      title={texts.title(holder)}
      description={texts.description(holder)}
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
      {repair.data ? <RepairResult repaired={repair.data} /> : null}
      {verdict ? (
        <Stack gap="md">
          <Group gap="sm" justify="space-between">
            <Group gap="xs">
              <StateBadge state={verdict.ok ? 'SUCCESS' : 'warning'} />
              <Text size="sm">{lineOf(verdict, holder)}</Text>
            </Group>
            {verdict.ok ? null : (
              <Button size="xs" leftSection={<IconTool size={16} />} onClick={() => setConfirming(true)}>
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
            label={texts.scopes(scope, holder)}
            columns={scopeColumns(scope)}
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
        opened={isConfirming}
        title={texts.repairTitle(holder)}
        confirm={texts.repair}
        destructive={verdict !== undefined && sumOf(verdict, 'extra') > 0}
        onConfirm={() => repair.mutateAsync()}
        onClose={() => setConfirming(false)}
      >
        {verdict ? texts.repairText(numbersOf(verdict)) : null}
      </ConfirmDialog>
    </Panel>
  )
}

function RepairResult({ repaired: { removed_elements: removed, jobs } }: { repaired: Repaired }) {
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

type ScopeRow = Verdict['spaces'][number]

function scopeColumns(scope: string): Column<ScopeRow>[] {
  return [
    {
      id: 'space',
      header: capitalized(scope),
      cell: ({ space_key }) => space_key,
      sortBy: (row) => row.space_key,
    },
    figure('documents'),
    figure('elements', true),
    figure('missing'),
    figure('different'),
    figure('extra'),
  ]
}

function figure(
  id: 'documents' | 'elements' | 'missing' | 'different' | 'extra',
  wide = false,
): Column<ScopeRow> {
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

function lineOf(verdict: Verdict, holder: string): string {
  return verdict.ok
    ? texts.agrees(holder, sumOf(verdict, 'elements'))
    : texts.differs(holder, numbersOf(verdict))
}
