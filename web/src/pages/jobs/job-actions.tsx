import { Button, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerStop, IconRefresh } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import type { Job } from '../../service/types.ts'
import { may } from '../../service/types.ts'
import { jobTexts as texts } from '../../texts/jobs.ts'
import { roleTexts } from '../../texts/roles.ts'
import type { LiveJob } from './live-job.ts'
import { isActive } from './types.ts'

export function JobActions({ live: { job, details } }: { live: LiveJob }) {
  if (isActive(job)) return <Cancel job={job} done={details.counts.discovered} />
  if (details.counts.failed > 0 && job.input_file_ids === null)
    return <Retry job={job} failed={details.counts.failed} />
  return null
}

function Cancel({ job, done }: { job: Job; done: number }) {
  const api = useApi()
  const [opened, { open, close }] = useDisclosure(false)
  const cancel = useAction(() => api.post(`/jobs/${job.id}/cancel`), {
    refreshes: ['/jobs', '/workflows'],
    notice: texts.cancel.done,
    showsError: false,
  })
  return (
    <>
      <ForOperators>
        {(disabled) => (
          <Button
            variant="default"
            leftSection={<IconPlayerStop size={16} />}
            disabled={disabled}
            onClick={open}
          >
            {texts.cancel.action}
          </Button>
        )}
      </ForOperators>
      <ConfirmDialog
        opened={opened}
        title={texts.cancel.title}
        confirm={texts.cancel.confirm}
        destructive
        onConfirm={() => cancel.mutateAsync()}
        onClose={close}
      >
        {job.kind === 'content' ? texts.cancel.text(done) : texts[job.kind].cancelText}
      </ConfirmDialog>
    </>
  )
}

function Retry({ job, failed }: { job: Job; failed: number }) {
  const api = useApi()
  const { id: workspaceId } = useWorkspace()
  const navigate = useNavigate()
  const retry = useAction(() => api.post<Job>(`/jobs/${job.id}/retry`), {
    refreshes: ['/jobs', '/workflows'],
    notice: texts.retry.done,
    onSuccess: async ({ id }) => {
      await navigate({ to: '/w/$workspaceId/jobs/$jobId', params: { workspaceId, jobId: id } })
    },
  })
  return (
    <ForOperators>
      {(disabled) => (
        <Button
          leftSection={<IconRefresh size={16} />}
          disabled={disabled}
          loading={retry.isPending}
          onClick={() => retry.mutate()}
        >
          {texts.retry.action(failed)}
        </Button>
      )}
    </ForOperators>
  )
}

/** Disabled with a reason, for roles below operator. */
export function ForOperators({ children }: { children: (disabled: boolean) => ReactElement }) {
  const { role } = useWorkspace()
  if (may(role, 'operator')) return children(false)
  const why = `${texts.needsOperator} ${roleTexts[role].name}.`
  return (
    <Tooltip label={why} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a disabled button takes no focus; its reason must. */}
      <span tabIndex={0} role="note" aria-label={why}>
        {children(true)}
      </span>
    </Tooltip>
  )
}
