import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode, Ref } from 'react'

type Props = {
  icon?: ReactNode
  title: string
  /** What the list contains and what to do, in one or two sentences. */
  children?: ReactNode
  action?: ReactNode
  level?: 1 | 2 | 3
  /** The heading takes focus where this is the whole screen. */
  heading?: Ref<HTMLHeadingElement>
}

/** Replaces an empty list and says how to fill it. */
export function EmptyState({ icon, title, children, action, level = 2, heading }: Props) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      {icon ? <span style={{ color: 'var(--mr-accent)' }}>{icon}</span> : null}
      <Title order={level} size="h3" ref={heading} tabIndex={heading ? -1 : undefined}>
        {title}
      </Title>
      {children ? (
        <Text c="dimmed" maw="56ch">
          {children}
        </Text>
      ) : null}
      {action ? <div style={{ marginTop: 8 }}>{action}</div> : null}
    </Stack>
  )
}
