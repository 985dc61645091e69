import { Alert, Group, Stack, Text } from '@mantine/core'
import { TextLink } from '../../../components/links.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useWorkspace } from '../../../service/session.ts'
import type { Job } from '../../../service/types.ts'
import { bulkTexts as texts } from '../../../texts/bulk.ts'
import { shellTexts } from '../../../texts/shell.ts'
import { exactTime } from '../../../texts/times.ts'
import { sentence } from '../error-advice.ts'
import type { BulkAction, BulkResult } from './bulk.ts'

type Props = { action: BulkAction; jobs: Job[]; results: BulkResult[]; onClose: () => void }

/** One result for each run. */
export function BulkResults({ action, jobs, results, onClose }: Props) {
  return (
    <Alert
      variant="outline"
      color="gray"
      title={texts.results}
      role="status"
      withCloseButton
      closeButtonLabel={shellTexts.close}
      onClose={onClose}
    >
      <Stack component="ul" gap={8} m={0} p={0} aria-label={texts.results} style={{ listStyle: 'none' }}>
        {results.map((result) => (
          <Group component="li" key={result.job_id} gap={8}>
            <Text size="sm" fw={500}>
              {nameOf(result, jobs)}
            </Text>
            <Outcome action={action} result={result} />
          </Group>
        ))}
      </Stack>
    </Alert>
  )
}

function nameOf({ job_id: id }: BulkResult, jobs: Job[]): string {
  const job = jobs.find((each) => each.id === id)
  return job ? texts.run(job.workflow_name, exactTime(job.created_at)) : id
}

function Outcome({ action, result }: { action: BulkAction; result: BulkResult }) {
  const { id: workspaceId } = useWorkspace()
  const { job, removed, error } = result
  if (error) {
    return (
      <>
        <StateBadge state="FAILED" label={texts.failed} />
        <Text size="sm">
          {error.code === 'job_active'
            ? texts.isRunning
            : [error.message, error.fix].flatMap((text) => (text ? [sentence(text)] : [])).join(' ')}
        </Text>
      </>
    )
  }
  return (
    <>
      <StateBadge state="SUCCESS" label={texts[action].done(removed ?? 0)} />
      {job ? (
        <TextLink size="sm" to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId: job.id }}>
          {texts.open}
        </TextLink>
      ) : null}
    </>
  )
}
