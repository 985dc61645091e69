import { Stack, Text } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import classes from './schema-fields.module.css'

type Props = { title: string; hasError: boolean; children: ReactNode }

/** Collapsed fields; open while one has an error. */
export function Advanced({ title, hasError, children }: Props) {
  const [expanded, setExpanded] = useState(false)
  return (
    <details
      className={classes.advanced}
      open={expanded || hasError}
      onToggle={(event) => setExpanded(event.currentTarget.open)}
    >
      <summary className={classes.summary}>
        <IconChevronRight size={16} aria-hidden="true" className={classes.arrow} />
        <Text component="span" size="sm" fw={500}>
          {title}
        </Text>
      </summary>
      <Stack gap="md" pt="md">
        {children}
      </Stack>
    </details>
  )
}
