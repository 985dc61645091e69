import { Alert, Button, Group, Stack, Text, Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { TextLink } from '../../../components/links.tsx'
import { Panel } from '../../../components/panel.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useWorkspace } from '../../../service/session.ts'
import type { Job, Workflow } from '../../../service/types.ts'
import { capitalized, generalTerms } from '../../../texts/nouns.ts'
import { stateTexts } from '../../../texts/states.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { ageOf, type Freshness, hiddenScopes, readBy, type ScopeFreshness } from './freshness.ts'
import type { usePass } from './use-pass.ts'

const texts = workflowsTexts.permissions

type Props = { workflow: Workflow; pass: ReturnType<typeof usePass>; allowed: boolean }

/** The age of the permissions of each scope, and a button to read them. */
export function PermissionsPanel({ workflow, pass, allowed }: Props) {
  const { freshness, job, isReading, start } = pass
  const { scope } = generalTerms
  const hidden = freshness.data ? hiddenScopes(freshness.data, workflow).length : 0
  const columns: Column<ScopeFreshness>[] = [
    {
      id: 'scope',
      header: capitalized(scope),
      cell: ({ scope: key, name }) => (
        <>
          {name} {name ? `(${key})` : <span className="mono">{key}</span>}
        </>
      ),
      sortBy: ({ scope: key, name }) => name || key,
    },
    {
      id: 'age',
      header: texts.columns.age,
      cell: ({ proved_at: at }) => <RelativeTime at={at} />,
      sortBy: ageOf,
    },
    {
      id: 'status',
      header: texts.columns.status,
      cell: ({ status }) => <StateBadge state={status} />,
      sortBy: ({ status }) => stateTexts[status],
    },
  ]
  return (
    <Panel
      title={texts.title}
      description={texts.description(scope, workflow.max_permission_age_hours)}
      actions={
        <ReadButton
          disabledReason={disabledReasonOf(workflow, { allowed, isReading })}
          loading={start.isPending}
          onClick={() => start.mutate()}
        />
      }
    >
      <Stack gap="md">
        {hidden > 0 ? (
          <Alert
            variant="outline"
            color="var(--mr-warning)"
            icon={<IconAlertTriangle size={18} />}
            p="sm"
            title={texts.hiddenTitle(hidden, scope)}
          >
            {texts.hiddenText}
          </Alert>
        ) : null}
        {workflow.status === 'inactive' ? <Text size="sm">{texts.paused}</Text> : null}
        {job && freshness.data ? <Pass job={job} freshness={freshness.data} scope={scope} /> : null}
        <DataTable
          label={texts.list(scope)}
          columns={columns}
          rows={freshness.data?.scopes}
          query={freshness}
          rowId={(row) => row.scope}
          initialSort={{ by: 'age', direction: 'descending' }}
          empty={<Text c="dimmed">{texts.empty}</Text>}
        />
      </Stack>
    </Panel>
  )
}

function Pass({ job, freshness, scope }: { job: Job; freshness: Freshness; scope: string }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <Group gap="4px 12px">
      <StateBadge state={job.processing_status} />
      <Text size="sm" className="figures">
        {texts.progress(readBy(freshness, job), freshness.scopes.length, scope)}
      </Text>
      <TextLink size="sm" to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId: job.id }}>
        {texts.openRun}
      </TextLink>
    </Group>
  )
}

type ReadButtonProps = { disabledReason: string | undefined; loading: boolean; onClick: () => void }

function ReadButton({ disabledReason, loading, onClick }: ReadButtonProps) {
  return (
    <Tooltip
      label={disabledReason}
      disabled={!disabledReason}
      events={{ hover: true, focus: true, touch: true }}
    >
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} />}
        loading={loading}
        // Not `disabled`: it must take focus to say why.
        data-disabled={disabledReason ? true : undefined}
        aria-disabled={disabledReason ? true : undefined}
        aria-label={disabledReason ? `${texts.read}. ${disabledReason}` : undefined}
        onClick={() => disabledReason || onClick()}
      >
        {texts.read}
      </Button>
    </Tooltip>
  )
}

function disabledReasonOf(
  { sources, destinations }: Workflow,
  { allowed, isReading }: { allowed: boolean; isReading: boolean },
): string | undefined {
  if (!allowed) return texts.whyNot.role
  if (sources.length === 0 || destinations.length === 0) return workflowsTexts.whyNoRun.incomplete
  return isReading ? texts.whyNot.reading : undefined
}
