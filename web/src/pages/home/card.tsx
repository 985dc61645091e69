import { Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

type Props = { icon: ReactNode; title: string; text: string; children: ReactNode }

/** A card on the start page: one way to start. */
export function Card({ icon, title, text, children }: Props) {
  const id = useId()
  return (
    <Paper component="section" aria-labelledby={id} withBorder p="lg" bg="var(--mr-surface)">
      <Stack gap="md" h="100%">
        <Stack gap="xs">
          <span style={{ color: 'var(--mr-accent)', height: 28 }}>{icon}</span>
          <Title order={2} id={id}>
            {title}
          </Title>
          <Text c="dimmed">{text}</Text>
        </Stack>
        {children}
      </Stack>
    </Paper>
  )
}
