import { Alert, Anchor, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { helpOnError } from '../service/help.ts'
import { shellTexts } from '../texts/shell.ts'
import { errorText, useFailureShown } from './notices.tsx'

export type FailedQuery = { error: Error | null; isFetching: boolean; refetch: () => unknown }

/** Why loading failed, with a button to retry. */
export function QueryFailure({ query }: { query: FailedQuery }) {
  useFailureShown(true)
  return (
    <Alert variant="outline" color="var(--mr-bad)" icon={<IconAlertTriangle size={18} />} role="alert">
      <Group justify="space-between">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {errorText(query.error)}{' '}
          <Anchor href={helpOnError(query.error)} target="_blank" inherit>
            {shellTexts.helpPages}
          </Anchor>
        </Text>
        <Button variant="default" size="xs" loading={query.isFetching} onClick={() => query.refetch()}>
          {shellTexts.broken.again}
        </Button>
      </Group>
    </Alert>
  )
}
