import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useNotices } from '../../components/notices.tsx'
import { Panel } from '../../components/panel.tsx'
import { queryClient } from '../../service/query-client.ts'
import { sessionQuery } from '../../service/session.ts'

type Props = {
  /** "Leave Handbook" or "Delete Handbook". */
  title: string
  description: string
  question: string
  confirm: string
  confirmationText?: string
  done: string
  onConfirm: () => Promise<unknown>
}

/** Leaves or deletes a workspace or an organisation, then shows the workspaces that are left. */
export function PartingPanel({ title, description, question, done, onConfirm, ...dialog }: Props) {
  const navigate = useNavigate()
  const notices = useNotices()
  const [opened, setOpened] = useState(false)

  async function part(): Promise<void> {
    await onConfirm()
    await navigate({ to: '/', search: { choose: true } })
    await queryClient.refetchQueries(sessionQuery)
    notices.success(done)
  }

  return (
    <Panel title={title} description={description}>
      <Button variant="default" onClick={() => setOpened(true)}>
        {title}
      </Button>
      <ConfirmDialog
        {...dialog}
        opened={opened}
        title={title}
        destructive
        onConfirm={part}
        onClose={() => setOpened(false)}
      >
        {question}
      </ConfirmDialog>
    </Panel>
  )
}
