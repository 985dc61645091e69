import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconScale, IconTool } from '@tabler/icons-react'
import { useCallback, useState } from 'react'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { TextLink } from '../../../components/links.tsx'
import { useNotices } from '../../../components/notices.tsx'
import { Panel } from '../../../components/panel.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useWorkspace } from '../../../service/session.ts'
import { connectorsTexts } from '../../../texts/connectors.ts'
import { capitalized, type Terms } from '../../../texts/nouns.ts'
import { count } from '../../../texts/times.ts'
import { isActive } from '../../jobs/types.ts'
import { useSourceTermsOfDestination } from '../source-terms.ts'
import type { Finding, RepairResponse, Verification, VerificationJob } from '../types.ts'
import { useVerification } from './use-verification.ts'
import { VerificationProgress } from './verification-progress.tsx'

const texts = connectorsTexts.contents

type Props = { id: string; terms: Terms; allowed: boolean }

/** Compares the destination with what was written, and repairs differences. */
export function IndexPanel({ id, terms, allowed }: Props) {
  const notices = useNotices()
  const [isConfirming, setConfirming] = useState(false)
  const { scope: indexNoun } = terms
  const { scope } = useSourceTermsOfDestination(id)
  const onEnd = useCallback(
    ({ kind, result, repaired }: VerificationJob) => {
      if (result) notices.announce(resultText(result, indexNoun))
      if (kind === 'repair' && repaired) notices.success(texts.repairing(indexNoun))
    },
    [notices, indexNoun],
  )
  const { job, isRunning, compare, repair } = useVerification(id, { onEnd })
  const verification = job?.result
  return (
    <Panel
      title={texts.title(indexNoun)}
      description={texts.description(indexNoun)}
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconScale size={16} />}
          loading={isRunning}
          disabled={!allowed}
          onClick={() => compare.mutate()}
        >
          {texts.compare}
        </Button>
      }
    >
      {job && isActive(job) ? <VerificationProgress job={job} /> : null}
      {job && hasFailed(job) ? <FailureNotice job={job} /> : null}
      {job?.repaired ? <RepairNotice repaired={job.repaired} /> : null}
      {verification ? (
        <Stack gap="md">
          <Group gap="sm" justify="space-between">
            <Group gap="xs">
              <StateBadge state={verification.ok ? 'SUCCESS' : 'warning'} />
              <Text size="sm">{resultText(verification, indexNoun)}</Text>
            </Group>
            {verification.ok ? null : (
              <Button size="xs" leftSection={<IconTool size={16} />} onClick={() => setConfirming(true)}>
                {texts.repair}
              </Button>
            )}
          </Group>
          {verification.foreign_elements > 0 ? (
            <Text size="sm" c="dimmed">
              {texts.foreign(verification.foreign_elements)}
            </Text>
          ) : null}
          <DataTable
            label={texts.scopes(scope, indexNoun)}
            columns={scopeColumns(scope)}
            rows={verification.spaces}
            rowId={({ space_key }) => space_key}
            empty={<Text c="dimmed">{texts.empty}</Text>}
          />
          {verification.findings.length > 0 ? (
            <DataTable
              label={texts.findings}
              columns={findingColumns}
              rows={verification.findings}
              rowId={({ kind, record_id }) => `${kind} ${record_id}`}
              empty={null}
            />
          ) : null}
          {verification.more_findings > 0 ? (
            <Text size="sm">{texts.more(verification.more_findings)}</Text>
          ) : null}
        </Stack>
      ) : null}
      <ConfirmDialog
        opened={isConfirming}
        title={texts.repairTitle(indexNoun)}
        confirm={texts.repair}
        destructive={verification ? sumOf(verification, 'extra') > 0 : false}
        onConfirm={() => repair.mutateAsync()}
        onClose={() => setConfirming(false)}
      >
        {verification ? texts.repairText(differencesOf(verification)) : null}
      </ConfirmDialog>
    </Panel>
  )
}

function hasFailed({ status }: VerificationJob): boolean {
  return status === 'FAILED' || status === 'STOPPED'
}

function FailureNotice({ job: { message, status } }: { job: VerificationJob }) {
  return (
    <Alert variant="outline" color={status === 'FAILED' ? 'red' : 'gray'} mb="md" title={texts.notCompleted}>
      {message}
    </Alert>
  )
}

function RepairNotice({ repaired: { removed_elements: removed, jobs } }: { repaired: RepairResponse }) {
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

type ScopeRow = Verification['spaces'][number]

function scopeColumns(scope: string): Column<ScopeRow>[] {
  return [
    {
      id: 'space',
      header: capitalized(scope),
      cell: ({ space_key }) => space_key,
      sortBy: (row) => row.space_key,
    },
    numberColumn('documents'),
    numberColumn('elements', true),
    numberColumn('missing'),
    numberColumn('different'),
    numberColumn('extra'),
  ]
}

function numberColumn(
  id: 'documents' | 'elements' | 'missing' | 'different' | 'extra',
  hideOnPhone = false,
): Column<ScopeRow> {
  return {
    id,
    header: texts[id],
    align: 'end',
    hideOnPhone,
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
  {
    id: 'elements',
    header: texts.elements,
    align: 'end',
    hideOnPhone: true,
    cell: (row) => count(row.elements),
  },
  { id: 'reason', header: texts.reason, hideOnPhone: true, cell: ({ reason }) => reason },
]

function differencesOf(verification: Verification) {
  return {
    missing: sumOf(verification, 'missing') + sumOf(verification, 'different'),
    extra: sumOf(verification, 'extra'),
  }
}

function sumOf({ spaces }: Verification, what: 'elements' | 'missing' | 'different' | 'extra'): number {
  return spaces.reduce((sum, space) => sum + space[what], 0)
}

function resultText(verification: Verification, indexNoun: string): string {
  return verification.ok
    ? texts.agrees(indexNoun, sumOf(verification, 'elements'))
    : texts.differs(indexNoun, differencesOf(verification))
}
