import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

type Props = { title: string; description?: ReactNode; actions?: ReactNode; children: ReactNode }

/** One subject of a screen, with its heading. */
export function Panel({ title, description, actions, children }: Props) {
  const id = useId()
  return (
    <Paper
      component="section"
      aria-labelledby={id}
      withBorder
      p={{ base: 'md', sm: 'lg' }}
      bg="var(--mr-surface)"
    >
      <Group justify="space-between" align="flex-start" mb="md" gap="sm">
        <Stack gap={4}>
          <Title order={2} id={id}>
            {title}
          </Title>
          {description ? (
            <Text c="dimmed" maw="72ch">
              {description}
            </Text>
          ) : null}
        </Stack>
        {actions}
      </Group>
      {children}
    </Paper>
  )
}
