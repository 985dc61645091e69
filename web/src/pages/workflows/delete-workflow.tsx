import { Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useAction } from '../../service/action.ts'
import { useApi } from '../../service/session.ts'
import type { Workflow } from '../../service/types.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'
import { useConnectors } from '../connectors/queries.ts'

type Props = {
  workflow: Workflow
  onClose: () => void
  onDeleted?: () => void | Promise<void>
}

const choices = ['keep', 'remove'] as const
type Choice = (typeof choices)[number]

/** Asks whether the elements of the workflow stay in the index. */
export function DeleteWorkflow({ workflow: { id, name, destinations }, onClose, onDeleted }: Props) {
  const api = useApi()
  const destination = useConnectors('destination').data?.find((each) => each.id === destinations[0])?.name
  const [elements, setElements] = useState<Choice>('keep')
  const remove = useAction(
    async (choice: Choice) => {
      await api.delete(`/workflows/${id}`, { query: { elements: choice } })
      // Leaves the page first, or it would load a deleted workflow.
      await onDeleted?.()
    },
    {
      refreshes: ['/workflows', '/jobs', '/overview'],
      notice: (_, choice) => texts.deleted[choice](name),
      showsError: false,
    },
  )
  return (
    <ConfirmDialog
      opened
      title={texts.deleteTitle(name)}
      confirm={texts.deleteConfirm[elements]}
      destructive
      onConfirm={() => remove.mutateAsync(elements)}
      onClose={onClose}
    >
      <Stack gap="md">
        <Text>{texts.deleteText}</Text>
        <Radio.Group
          label={texts.deleteElements(destination)}
          value={elements}
          onChange={(next) => setElements(next as Choice)}
        >
          <Stack gap="sm" mt="xs">
            {choices.map((choice) => (
              <Radio
                key={choice}
                value={choice}
                label={texts.deleteChoices[choice].label}
                description={texts.deleteChoices[choice].help}
              />
            ))}
          </Stack>
        </Radio.Group>
      </Stack>
    </ConfirmDialog>
  )
}
