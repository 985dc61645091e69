import { Alert, Anchor, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { helpOnError } from '../service/help.ts'
import { shellTexts } from '../texts/shell.ts'
import { errorText } from './notices.tsx'

/** Why loading failed, with a button to retry. */
export function QueryFailure({ query }: { query: Pick<UseQueryResult, 'error' | 'refetch' | 'isFetching'> }) {
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
