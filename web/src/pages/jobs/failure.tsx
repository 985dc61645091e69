import { Alert, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { jobTexts } from '../../texts/jobs.ts'
import { useConnectors } from '../connectors/queries.ts'
import { errorWords } from './error-advice.ts'
import { RunAgain } from './job-actions.tsx'
import type { LiveJob } from './live-job.ts'
import { SubjectLink } from './overview/subject-link.tsx'
import { hasNoWorkflow } from './types.ts'

const CONNECTION = /_(unreachable|unauthorized)$/

/** Why the run failed, and what fixes it. */
export function Failure({ live: { job, details } }: { live: LiveJob }) {
  if (job.status !== 'FAILED') return null
  const { code, subject = null } = details.error ?? { code: 'internal' }
  const { name, fix } = errorWords(code, details.message)
  return (
    <Alert
      variant="outline"
      color="var(--mr-bad)"
      icon={<IconAlertTriangle size={20} />}
      title={name}
      role="alert"
    >
      <Stack gap="sm">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {fix}
        </Text>
        <Group gap="xs">
          <FixLink code={code} subject={subject} jobId={job.id} />
          {hasNoWorkflow(job) || job.kind !== 'content' ? null : (
            <RunAgain job={job} size="xs" variant="default" />
          )}
        </Group>
      </Stack>
    </Alert>
  )
}

type FixLinkProps = { code: string } & Pick<Parameters<typeof SubjectLink>[0], 'subject' | 'jobId'>

/** Names the connector to change. */
function FixLink({ code, subject, jobId }: FixLinkProps) {
  const kind = subject?.kind === 'destination' ? 'destination' : 'source'
  const { data, isLoading } = useConnectors(kind, subject?.kind === kind)
  if (isLoading) return <Skeleton height={30} width={200} />
  const name = data?.find(({ id }) => id === subject?.id)?.name
  const label = CONNECTION.test(code) ? jobTexts.failure.connection : jobTexts.failure.settings
  return <SubjectLink subject={subject} jobId={jobId} label={name && label(name)} />
}
