import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useAction } from '../../service/action.ts'
import { useApi } from '../../service/session.ts'
import type { Workflow } from '../../service/types.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'

type Props = {
  workflow: Workflow
  destination: string | undefined
  onClose: () => void
  onDeleted?: () => void | Promise<void>
}

export function DeleteWorkflow({ workflow: { id, name }, destination, onClose, onDeleted }: Props) {
  const api = useApi()
  const remove = useAction(
    async () => {
      await api.delete(`/workflows/${id}`)
      // Leaves the page first, or it would load a deleted workflow.
      await onDeleted?.()
    },
    { refreshes: ['/workflows'], says: texts.deleted(name), showsError: false },
  )
  return (
    <ConfirmDialog
      opened
      title={texts.deleteTitle(name)}
      confirm={texts.deleteConfirm}
      destructive
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      {texts.deleteText(destination)}
    </ConfirmDialog>
  )
}
