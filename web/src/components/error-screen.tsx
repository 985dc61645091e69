import { Alert, Anchor, Button, Code, Container, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiError } from '../service/errors.ts'
import { helpOnError } from '../service/help.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { shellTexts } from '../texts/shell.ts'
import { NotFound } from './not-found.tsx'

/** Replaces a screen that failed, with an id for the log or console. */
export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const [id] = useState(() => idOf(error))
  usePageTitle(shellTexts.broken.title)
  useEffect(() => console.error(`[${id}]`, error), [id, error])
  if (error instanceof ApiError && error.status === 404) return <NotFound />

  return (
    <Container size="sm" py="xl">
      <Alert
        variant="outline"
        color="var(--mr-bad)"
        icon={<IconAlertTriangle />}
        title={shellTexts.broken.title}
        role="alert"
      >
        <Text mb="sm">{error instanceof ApiError ? error.message : shellTexts.broken.text}</Text>
        <Text size="sm" mb="md">
          {shellTexts.broken.id} <Code>{id}</Code>
        </Text>
        <Group>
          <Button
            variant="default"
            onClick={() => {
              reset()
              void router.invalidate()
            }}
          >
            {shellTexts.broken.again}
          </Button>
          <Anchor href={helpOnError(error)} target="_blank" size="sm">
            {shellTexts.helpPages}
          </Anchor>
        </Group>
      </Alert>
    </Container>
  )
}

function idOf(error: unknown): string {
  if (error instanceof ApiError && error.requestId) return error.requestId
  // crypto.randomUUID is missing on plain http.
  return Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
