import { ActionIcon, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { label: string; icon: ReactNode; loading?: boolean; onClick: () => void }

/** A button of a table row that shows only an icon. */
export function IconButton({ label, icon, ...button }: Props) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} {...button}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}
