import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Panel } from '../../../components/panel.tsx'
import { may, type Workspace } from '../../../service/types.ts'
import { webhooksTexts as texts } from '../../../texts/notifications.ts'
import { NewWebhook } from './new-webhook.tsx'
import { WebhookTable } from './webhook-table.tsx'

export function WebhooksSection({ workspace }: { workspace: Workspace }) {
  const [opened, { open, close }] = useDisclosure(false)
  if (!may(workspace.role, 'developer'))
    return <EmptyState title={texts.title}>{texts.developersOnly}</EmptyState>
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          {texts.add}
        </Button>
      }
    >
      <WebhookTable />
      <NewWebhook opened={opened} onClose={close} />
    </Panel>
  )
}
