import { Alert, Button, Stack, Table, Text } from '@mantine/core'
import { IconAlertTriangle, IconCalculator } from '@tabler/icons-react'
import { useState } from 'react'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { Panel } from '../../../components/panel.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { useAction } from '../../../service/action.ts'
import { useApi } from '../../../service/session.ts'
import type { Workflow } from '../../../service/types.ts'
import { capitalized, plural } from '../../../texts/nouns.ts'
import { count, duration } from '../../../texts/times.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { useSourceTerms } from '../../connectors/source-terms.ts'
import classes from './overview.module.css'
import type { Estimate, WorkflowRun } from './types.ts'

const texts = workflowsTexts.overview.estimate

type Props = { workflow: Workflow; last: WorkflowRun | undefined; allowed: boolean }

/** What the next run will read, next to what the last one did. */
export function EstimatePanel({ workflow, last, allowed }: Props) {
  const api = useApi()
  const { scope } = useSourceTerms(workflow.sources[0])
  const [estimate, setEstimate] = useState<Estimate>()
  const ask = useAction(() => api.post<Estimate>(`/workflows/${workflow.id}/estimate`), {
    refreshes: [],
    onSuccess: setEstimate,
  })
  const shown = estimate ?? last?.estimate ?? undefined
  const disabledReason = !allowed
    ? workflowsTexts.whyNoRun.role
    : workflow.sources.length === 0
      ? texts.noSource
      : undefined
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      actions={
        <Button
          variant="default"
          leftSection={<IconCalculator size={16} />}
          loading={ask.isPending}
          disabled={disabledReason !== undefined}
          title={disabledReason}
          onClick={() => ask.mutate(undefined)}
        >
          {estimate ? texts.again : texts.ask}
        </Button>
      }
    >
      {shown || last ? (
        <Stack gap="md">
          {shown?.limited ? (
            <Alert variant="outline" color="var(--mr-warning)" icon={<IconAlertTriangle size={18} />} p="sm">
              {texts.limited}
            </Alert>
          ) : null}
          <Numbers estimate={shown} last={last} isNext={estimate !== undefined} />
          {estimate ? <ByScope estimate={estimate} scope={scope} /> : null}
        </Stack>
      ) : (
        <Text c="dimmed">{texts.empty}</Text>
      )}
    </Panel>
  )
}

type NumbersProps = { estimate: Estimate | undefined; last: WorkflowRun | undefined; isNext: boolean }

function Numbers({ estimate, last, isNext }: NumbersProps) {
  const about = (value: number | null | undefined, text: (value: number) => string) =>
    value === null || value === undefined ? texts.unknown : texts.about(text(value))
  const took = (seconds: number) => duration(seconds * 1000)
  const { basis } = estimate ?? {}
  const rows = [
    {
      name: texts.documents,
      expected: about(estimate?.documents, count),
      actual: last && count(last.found),
      why: undefined,
    },
    {
      name: texts.elements,
      expected: about(estimate?.elements, count),
      actual: last && texts.written(count(last.elements)),
      why: basis && basis.documents > 0 ? texts.fromDocuments(count(basis.documents)) : undefined,
    },
    {
      name: texts.time,
      expected: about(estimate?.seconds, took),
      actual: last?.seconds === null || last?.seconds === undefined ? undefined : took(last.seconds),
      why: basis && basis.runs > 0 ? texts.fromRuns(basis.runs) : undefined,
    },
  ]
  return (
    <Table className={classes.numbers} aria-label={texts.title}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.number}</Table.Th>
          <Table.Th>
            {isNext ? texts.nextRun : texts.estimated}
            {estimate ? (
              <Text size="xs" c="dimmed" component="div">
                <RelativeTime at={estimate.at} />
              </Text>
            ) : null}
          </Table.Th>
          <Table.Th>
            {texts.lastRun}
            {last ? (
              <Text size="xs" c="dimmed" component="div">
                <RelativeTime at={last.created_at} />
              </Text>
            ) : null}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody className="figures">
        {rows.map(({ name, expected, actual, why }) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{name}</Table.Th>
            <Table.Td>
              {estimate ? expected : texts.notEstimated}
              {why ? (
                <Text size="xs" c="dimmed">
                  {why}
                </Text>
              ) : null}
            </Table.Td>
            <Table.Td>{actual ?? '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function ByScope({ estimate, scope }: { estimate: Estimate; scope: string }) {
  const columns: Column<Estimate['by_scope'][number]>[] = [
    {
      id: 'scope',
      header: capitalized(scope),
      cell: (row) => row.name || row.scope,
      sortBy: (row) => row.name || row.scope,
    },
    {
      id: 'documents',
      header: texts.documents,
      align: 'end',
      cell: ({ documents }) => (documents === null ? texts.unknown : count(documents)),
      sortBy: ({ documents }) => documents,
    },
  ]
  return (
    <DataTable
      label={texts.byScope(plural(scope))}
      columns={columns}
      rows={estimate.by_scope}
      rowId={(row) => row.scope}
      initialSort={{ by: 'documents', direction: 'descending' }}
      empty={<Text c="dimmed">{texts.noScopes(plural(scope))}</Text>}
    />
  )
}
