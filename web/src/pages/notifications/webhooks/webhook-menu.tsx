import { Menu, Modal } from '@mantine/core'
import { IconKey, IconList, IconSend, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { RowMenu } from '../../../components/row-menu.tsx'
import { useAction } from '../../../service/action.ts'
import { useApi } from '../../../service/session.ts'
import { webhooksTexts as texts } from '../../../texts/notifications.ts'
import { shellTexts } from '../../../texts/shell.ts'
import type { ChangedChannel, Channel, Delivery } from '../types.ts'
import { CHANNELS, hostOf } from './channel-path.ts'
import { DeliveryDrawer } from './delivery-drawer.tsx'
import { ShownSecret } from './new-webhook.tsx'

type Choice = 'deliveries' | 'rotate' | 'delete'
type Choose = (choice: Choice, channel: Channel) => void

export function WebhookMenu({ channel, onChoose }: { channel: Channel; onChoose: Choose }) {
  const api = useApi()
  const test = useAction(() => api.post<Delivery>(`${CHANNELS}/${channel.id}/test`), {
    refreshes: [`${CHANNELS}/${channel.id}`],
    notice: texts.testSent,
    onSuccess: () => onChoose('deliveries', channel),
  })
  return (
    <RowMenu label={texts.menu(hostOf(channel.url))}>
      <Menu.Item leftSection={<IconSend size={16} />} onClick={() => test.mutate()}>
        {texts.test}
      </Menu.Item>
      <Menu.Item leftSection={<IconList size={16} />} onClick={() => onChoose('deliveries', channel)}>
        {texts.deliveries}
      </Menu.Item>
      <Menu.Item leftSection={<IconKey size={16} />} onClick={() => onChoose('rotate', channel)}>
        {texts.rotate}
      </Menu.Item>
      <Menu.Item leftSection={<IconTrash size={16} />} onClick={() => onChoose('delete', channel)}>
        {texts.delete}
      </Menu.Item>
    </RowMenu>
  )
}

/** The dialogs of the menu, outside the table that reloads. */
export function useWebhookActions(): { choose: Choose; dialogs: ReactNode } {
  const api = useApi()
  const [chosen, setChosen] = useState<{ choice: Choice; channel: Channel }>()
  const [secret, setSecret] = useState<string>()
  const close = () => setChosen(undefined)
  const remove = useAction((channel: Channel) => api.delete(`${CHANNELS}/${channel.id}`), {
    refreshes: [CHANNELS],
    notice: (_, { url }) => texts.deleted(hostOf(url)),
    undo: ({ id }) => api.post(`${CHANNELS}/${id}/restore`),
    showsError: false,
  })
  const rotate = useAction(
    (channel: Channel) => api.patch<ChangedChannel>(`${CHANNELS}/${channel.id}`, { secret: '' }),
    { showsError: false, onSuccess: (changed) => setSecret(changed.secret) },
  )
  const channel = chosen?.channel
  const host = hostOf(channel?.url ?? '')
  const dialogs = (
    <>
      <DeliveryDrawer channel={chosen?.choice === 'deliveries' ? channel : undefined} onClose={close} />
      <ConfirmDialog
        opened={chosen?.choice === 'rotate'}
        title={texts.rotateTitle(host)}
        confirm={texts.rotateConfirm}
        onConfirm={async () => channel && rotate.mutateAsync(channel)}
        onClose={close}
      >
        {texts.rotateText}
      </ConfirmDialog>
      <ConfirmDialog
        opened={chosen?.choice === 'delete'}
        title={texts.deleteTitle(host)}
        confirm={texts.deleteConfirm}
        destructive
        onConfirm={async () => channel && remove.mutateAsync(channel)}
        onClose={close}
      >
        {texts.deleteText}
      </ConfirmDialog>
      <Modal
        opened={secret !== undefined}
        onClose={() => setSecret(undefined)}
        title={texts.secret.title}
        closeButtonProps={{ 'aria-label': shellTexts.close }}
      >
        {secret ? <ShownSecret secret={secret} onDone={() => setSecret(undefined)} /> : null}
      </Modal>
    </>
  )
  return { choose: (choice, next) => setChosen({ choice, channel: next }), dialogs }
}
