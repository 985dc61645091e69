import { Button, Group, Text } from '@mantine/core'
import { IconHandStop, IconRefresh, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import type { Job } from '../../../service/types.ts'
import { bulkTexts as texts } from '../../../texts/bulk.ts'
import { type BulkAction, bulkOf } from './bulk.ts'
import { BulkDialog } from './bulk-dialog.tsx'

type Props = {
  selected: Job[]
  /** Jobs that could be selected. */
  selectable: Job[]
  onSelect: (ids: string[]) => void
}

/** What can be done with the selected jobs. */
export function BulkBar({ selected, selectable, onSelect }: Props) {
  const [action, setAction] = useState<BulkAction>()
  // The dialog keeps its jobs while the list reloads.
  const [chosen, setChosen] = useState<Job[]>([])
  const retry = bulkOf(selected, 'retry')
  const approve = bulkOf(selected, 'approve')
  const start = (next: BulkAction) => {
    setChosen(selected)
    setAction(next)
  }
  if (selectable.length === 0 && !action) return null
  return (
    <Group gap="xs" role="group" aria-label={texts.label}>
      {selected.length > 0 ? (
        <>
          <Text size="sm" className="figures" aria-live="polite">
            {texts.selected(selected.length)}
          </Text>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={14} />}
            disabled={retry.jobs.length === 0}
            onClick={() => start('retry')}
          >
            {texts.retry.action(retry.documents)}
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconHandStop size={14} />}
            disabled={approve.jobs.length === 0}
            onClick={() => start('approve')}
          >
            {texts.approve.action(approve.documents)}
          </Button>
        </>
      ) : null}
      {selected.length < selectable.length ? (
        <Button variant="subtle" size="xs" onClick={() => onSelect(selectable.map(({ id }) => id))}>
          {texts.selectAll(selectable.length)}
        </Button>
      ) : null}
      {selected.length > 0 ? (
        <Button variant="subtle" size="xs" leftSection={<IconX size={14} />} onClick={() => onSelect([])}>
          {texts.clear}
        </Button>
      ) : null}
      {action ? (
        <BulkDialog
          action={action}
          jobs={bulkOf(chosen, action).jobs}
          onDone={() => onSelect([])}
          onClose={() => setAction(undefined)}
        />
      ) : null}
    </Group>
  )
}
