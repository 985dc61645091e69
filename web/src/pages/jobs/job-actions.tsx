import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerPlay, IconPlayerStop, IconRefresh } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import { type Job, may } from '../../service/types.ts'
import { jobTexts as texts } from '../../texts/jobs.ts'
import { roleTexts } from '../../texts/roles.ts'
import type { LiveJob } from './live-job.ts'
import { hasNoWorkflow, isActive } from './types.ts'

/** The main action in this state; that of a failed run is next to its cause. */
export function JobActions({ live: { job, details } }: { live: LiveJob }) {
  if (isActive(job)) return <Cancel job={job} done={details.counts.discovered} />
  if (hasNoWorkflow(job) || job.kind !== 'content' || job.status === 'FAILED') return null
  if (job.status === 'STOPPED') return <RunAgain job={job} />
  const { failed } = details.counts
  if (failed === 0) return null
  return (
    <StartButton path={`/jobs/${job.id}/retry`} leftSection={<IconRefresh size={16} />}>
      {texts.retry(failed)}
    </StartButton>
  )
}

export function RunAgain({ job, ...look }: { job: Job } & ButtonProps) {
  return (
    <StartButton
      path={`/workflows/${job.workflow_id}/run`}
      leftSection={<IconPlayerPlay size={16} />}
      {...look}
    >
      {texts.again}
    </StartButton>
  )
}

/** Starts another run and opens it, which is its notice. */
function StartButton({ path, ...look }: { path: string; children: string } & ButtonProps) {
  const api = useApi()
  const { id: workspaceId } = useWorkspace()
  const navigate = useNavigate()
  const start = useAction(() => api.post<Job>(path), {
    refreshes: ['/jobs', '/workflows'],
    onSuccess: ({ id }) =>
      navigate({ to: '/w/$workspaceId/jobs/$jobId', params: { workspaceId, jobId: id } }),
  })
  return (
    <ForOperators>
      {(disabled) => (
        <Button {...look} disabled={disabled} loading={start.isPending} onClick={() => start.mutate()} />
      )}
    </ForOperators>
  )
}

function Cancel({ job, done }: { job: Job; done: number }) {
  const api = useApi()
  const [opened, { open, close }] = useDisclosure(false)
  const cancel = useAction(() => api.post(`/jobs/${job.id}/cancel`), {
    refreshes: ['/jobs', '/workflows'],
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
        confirm={texts.cancel.action}
        destructive
        onConfirm={() => cancel.mutateAsync()}
        onClose={close}
      >
        {job.kind === 'content' ? texts.cancel.text(done) : texts[job.kind].cancelText}
      </ConfirmDialog>
    </>
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
