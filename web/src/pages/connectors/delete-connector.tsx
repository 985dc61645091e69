import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { TextLink } from '../../components/links.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import type { Workflow } from '../../service/types.ts'
import { connectorsTexts as texts } from '../../texts/connectors.ts'
import { generalTerms } from '../../texts/nouns.ts'
import { sandboxTexts } from '../../texts/sandbox.ts'
import { shellTexts } from '../../texts/shell.ts'
import { type Connector, type ConnectorType, type Kind, pathOf } from './types.ts'

type Props = {
  kind: Kind
  connector: Connector
  type: ConnectorType | undefined
  usedBy: Workflow[]
  onClose: () => void
  onDeleted?: () => void | Promise<void>
}

/** Asks for confirmation, or lists the workflows that prevent it. */
export function DeleteConnector({ kind, connector, type, usedBy, onClose, onDeleted }: Props) {
  const { id, name } = connector
  const api = useApi()
  const remove = useAction(
    async () => {
      await api.delete(`${pathOf(kind)}/${id}`)
      // Leaves its page first, or it would load a deleted connector.
      await onDeleted?.()
    },
    { refreshes: [pathOf(kind), '/sandbox'], notice: texts.deleted(name), showsError: false },
  )
  if (usedBy.length > 0) return <InUse name={name} usedBy={usedBy} onClose={onClose} />
  return (
    <ConfirmDialog
      opened
      title={texts.deleteTitle(name, kind)}
      confirm={texts.deleteConfirm[kind]}
      destructive
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      {connector.sandbox ? sandboxTexts.deleteText : texts.deleteText[kind](type?.terms ?? generalTerms)}
    </ConfirmDialog>
  )
}

function InUse({ name, usedBy, onClose }: { name: string; usedBy: Workflow[]; onClose: () => void }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.inUseTitle(name)}
      closeButtonProps={{ 'aria-label': shellTexts.close }}
    >
      <Stack>
        <Text>{texts.inUse}</Text>
        <List spacing={4}>
          {usedBy.map((workflow) => (
            <List.Item key={workflow.id}>
              <TextLink
                to="/w/$workspaceId/workflows/$workflowId"
                params={{ workspaceId, workflowId: workflow.id }}
              >
                {workflow.name}
              </TextLink>
            </List.Item>
          ))}
        </List>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {texts.close}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
