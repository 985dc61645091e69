import { ActionIcon, Popover, Text } from '@mantine/core'
import { IconHelpCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { shellTexts } from '../texts/shell.ts'

/** More about a field than its description holds; opens by click, touch or key, and stays open to be read. */
export function FieldHelp({ about, children }: { about: string; children: ReactNode }) {
  return (
    <Popover width={300} position="top-start" withArrow shadow="md" trapFocus={false}>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" size={24} radius="xl" aria-label={shellTexts.help(about)}>
          <IconHelpCircle size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm" component="div">
          {children}
        </Text>
      </Popover.Dropdown>
    </Popover>
  )
}
