import { Alert, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { RelativeTime } from '../../components/relative-time.tsx'
import { documentTexts } from '../../texts/documents.ts'
import { errorName, sentence } from '../jobs/error-advice.ts'
import type { WorkflowDocument } from './types.ts'

const texts = documentTexts.problem

/** Why search does not have the newest version, what to do, and which version it has. */
export function DocumentProblem({ workflow }: { workflow: WorkflowDocument }) {
  const { state, error, indexed_version: indexed, wanted_version: wanted } = workflow
  const isBehind = indexed !== wanted && wanted !== null
  if (!error && !isBehind) return null
  return (
    <Alert
      variant="outline"
      color="var(--mr-warning)"
      icon={<IconAlertTriangle size={18} />}
      title={titleOf(workflow)}
    >
      <Stack gap={4}>
        {error ? (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {sentence(error.message)}
          </Text>
        ) : null}
        {error?.fix ? (
          <Text size="sm">
            <Text span inherit fw={600}>
              {texts.fix}
            </Text>{' '}
            {error.fix}
          </Text>
        ) : null}
        {error ? (
          <Text size="sm" c="dimmed">
            {texts.tried} <RelativeTime at={error.at} />
          </Text>
        ) : null}
        <Text size="sm" fw={600}>
          {indexed === null
            ? texts.nothing
            : isBehind
              ? texts.stillOlder(indexed, wanted)
              : texts.still(indexed)}
        </Text>
        {error || state === 'skipped' ? null : <Text size="sm">{texts.next}</Text>}
      </Stack>
    </Alert>
  )
}

function titleOf({ state, error, indexed_version: indexed }: WorkflowDocument): string {
  if (error) return (state === 'skipped' ? texts.skipped : texts.failed)(errorName(error.code))
  return indexed === null ? texts.waiting : texts.outdated
}
