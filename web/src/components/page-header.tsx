import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useHeadingFocus } from '../shell/heading-focus.ts'
import { usePageTitle } from '../shell/page-title.ts'

type Props = {
  title: string
  /** One line that says what this screen is for. */
  description?: ReactNode
  /** Next to the title, such as a StateBadge. */
  aside?: ReactNode
  /** Buttons; the main one last. */
  actions?: ReactNode
}

/** The header of every screen; sets the window title. */
export function PageHeader({ title, description, aside, actions }: Props) {
  usePageTitle(title)
  const heading = useHeadingFocus()
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="md">
      <Stack gap={4} flex="1 1 280px" miw={0}>
        <Group gap="sm">
          <Title order={1} ref={heading} dir="auto" tabIndex={-1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {aside}
        </Group>
        {description ? (
          <Text c="dimmed" maw="72ch">
            {description}
          </Text>
        ) : null}
      </Stack>
      {actions ? <Group gap="xs">{actions}</Group> : null}
    </Group>
  )
}
