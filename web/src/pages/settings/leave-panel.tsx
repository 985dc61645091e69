import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useNotices } from '../../components/notices.tsx'
import { Panel } from '../../components/panel.tsx'
import { call } from '../../service/api.ts'
import { queryClient } from '../../service/query-client.ts'
import { sessionQuery } from '../../service/session.ts'
import { settingsTexts } from '../../texts/settings.ts'

const texts = settingsTexts.leaving

type Props = {
  /** The workspace or the organisation. */
  name: string
  /** The API path that leaves it. */
  path: string
  description: string
}

export function LeavePanel({ name, path, description }: Props) {
  const navigate = useNavigate()
  const notices = useNotices()
  const [opened, setOpened] = useState(false)

  async function leave(): Promise<void> {
    await call('POST', path, { body: {} })
    await navigate({ to: '/', search: { choose: true } })
    await queryClient.refetchQueries(sessionQuery)
    notices.success(texts.left(name))
  }

  return (
    <Panel title={texts.title(name)} description={description}>
      <Button variant="default" onClick={() => setOpened(true)}>
        {texts.leave(name)}
      </Button>
      <ConfirmDialog
        opened={opened}
        title={texts.leave(name)}
        confirm={texts.confirm}
        destructive
        onConfirm={leave}
        onClose={() => setOpened(false)}
      >
        {texts.text(name)}
      </ConfirmDialog>
    </Panel>
  )
}
