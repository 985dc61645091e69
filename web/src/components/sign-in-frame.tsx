import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useHeadingFocus } from '../shell/heading-focus.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { Logo } from './logo.tsx'
import classes from './sign-in-frame.module.css'

/** The frame of the screens before sign-in. */
export function SignInFrame({
  title,
  lead,
  children,
}: {
  title: string
  lead?: ReactNode
  children: ReactNode
}) {
  usePageTitle(title)
  const heading = useHeadingFocus()
  return (
    <main id="main" className={classes.main}>
      <Group gap="xs" justify="center" mb="lg">
        <Logo size={36} />
        <Text fw={600} size="xl">
          Millrace
        </Text>
      </Group>
      <Paper withBorder p={{ base: 'md', sm: 'xl' }} bg="var(--mr-surface)">
        <Stack gap={4} mb="lg">
          <Title order={1} ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {lead ? <Text c="dimmed">{lead}</Text> : null}
        </Stack>
        {children}
      </Paper>
    </main>
  )
}
