import { Button, Group, Text } from '@mantine/core'
import { IconHandStop, IconRefresh, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { useAction } from '../../../service/action.ts'
import { useApi } from '../../../service/session.ts'
import type { Job } from '../../../service/types.ts'
import { bulkTexts as texts } from '../../../texts/bulk.ts'
import { type BulkAction, type BulkResult, bulkOf } from './bulk.ts'
import { BulkResults } from './bulk-results.tsx'

type Props = {
  selected: Job[]
  /** Runs that could be selected. */
  selectable: Job[]
  onSelect: (ids: string[]) => void
}

const paths: Record<BulkAction, string> = { retry: '/jobs/retry', approve: '/jobs/approve-deletions' }
const icons = { retry: <IconRefresh size={14} />, approve: <IconHandStop size={14} /> }
const actions = ['retry', 'approve'] as const

/** What can be done with the selected runs; afterwards, one result for each. */
export function BulkBar({ selected, selectable, onSelect }: Props) {
  const api = useApi()
  const [action, setAction] = useState<BulkAction>()
  const run = useAction(
    async (chosen: { action: BulkAction; jobs: Job[] }) => {
      const body = { job_ids: chosen.jobs.map(({ id }) => id) }
      const { results } = await api.post<{ results: BulkResult[] }>(paths[chosen.action], body)
      return { ...chosen, results }
    },
    {
      refreshes: ['/jobs', '/workflows', '/overview'],
      showsError: false,
      onSuccess: () => onSelect([]),
    },
  )
  const { jobs, documents } = bulkOf(selected, action ?? 'retry')
  return (
    <>
      {run.data ? <BulkResults {...run.data} onClose={run.reset} /> : null}
      <Group gap="xs" role="group" aria-label={texts.label} hidden={selectable.length === 0}>
        {selected.length > 0 ? (
          <Text size="sm" className="figures" aria-live="polite">
            {texts.selected(selected.length)}
          </Text>
        ) : null}
        {actions.map((each) => {
          const chosen = bulkOf(selected, each)
          return chosen.jobs.length === 0 ? null : (
            <Button
              key={each}
              variant="default"
              size="xs"
              leftSection={icons[each]}
              onClick={() => setAction(each)}
            >
              {texts[each].action(chosen.documents)}
            </Button>
          )
        })}
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
      </Group>
      {action ? (
        <ConfirmDialog
          opened
          title={texts[action].title(documents, jobs.length)}
          confirm={texts[action].confirm(documents)}
          destructive={action === 'approve'}
          onConfirm={() => run.mutateAsync({ action, jobs })}
          onClose={() => setAction(undefined)}
        >
          {texts[action].text}
        </ConfirmDialog>
      ) : null}
    </>
  )
}
