import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconHandStop } from '@tabler/icons-react'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { useAction } from '../../../service/action.ts'
import { useApi } from '../../../service/session.ts'
import type { ResponseOf } from '../../../service/types.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import { ForOperators } from '../job-actions.tsx'
import type { LiveJob } from '../live-job.ts'

type Approval = ResponseOf<'POST /api/v1/jobs/{id}/approve-deletions'>

const texts = jobTexts.approve

/** Removals that wait for approval. */
export function HeldBack({ live: { job, mode } }: { live: LiveJob }) {
  const api = useApi()
  const [opened, { open, close }] = useDisclosure(false)
  const approve = useAction(() => api.post<Approval>(`/jobs/${job.id}/approve-deletions`), {
    refreshes: ['/jobs', '/overview'],
    notice: ({ removed }) => texts.done(removed),
    showsError: false,
  })
  const held = job.held_back
  if (held === 0 || mode !== 'ended') return null
  return (
    <Alert
      variant="outline"
      color="var(--mr-warning)"
      icon={<IconHandStop size={20} />}
      title={texts.banner(held)}
    >
      <Stack gap="sm">
        <Text size="sm">{texts.text(held)}</Text>
        <Text size="sm">{texts.checkFirst}</Text>
        <Group>
          <ForOperators>
            {(disabled) => (
              <Button color="red.9" disabled={disabled} onClick={open}>
                {texts.action(held)}
              </Button>
            )}
          </ForOperators>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={opened}
        title={texts.title(held)}
        confirm={texts.confirm(held)}
        destructive
        onConfirm={() => approve.mutateAsync()}
        onClose={close}
      >
        {texts.confirmText(held)}
      </ConfirmDialog>
    </Alert>
  )
}
