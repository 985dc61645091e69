import { Button, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { ButtonLink } from '../../components/links.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import type { Job, Workflow } from '../../service/types.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'
import { isActive } from '../jobs/types.ts'
import { EstimatedRun } from './estimated-run.tsx'

/** `found`: how many documents it had. */
export type LastRun = { id: string; status: Job['status']; found: number }

type Props = {
  workflow: Workflow
  /** The last run. */
  last: LastRun | undefined
  allowed: boolean
  /** Whether there are changes that a run would not use. */
  unsaved?: boolean
  size?: 'xs' | 'sm'
}

/** Asks with an estimate, starts a run and opens it, or opens the running one. */
export function RunButton({ workflow, last, allowed, unsaved = false, size = 'xs' }: Props) {
  const { name } = workflow
  const { id: workspaceId } = useWorkspace()
  const [opened, { open, close }] = useDisclosure(false)
  const run = useRun({ showsError: false })
  if (last && isActive(last) && !opened) {
    return (
      <ButtonLink
        size={size}
        variant="default"
        aria-label={texts.openRun(name)}
        to="/w/$workspaceId/jobs/$jobId"
        params={{ workspaceId, jobId: last.id }}
      >
        {texts.running}
      </ButtonLink>
    )
  }
  const disabledReason = disabledReasonOf(workflow, { allowed, unsaved })
  return (
    <>
      <Tooltip
        label={disabledReason}
        disabled={!disabledReason}
        events={{ hover: true, focus: true, touch: true }}
      >
        <Button
          size={size}
          variant="default"
          leftSection={<IconPlayerPlay size={14} />}
          // Not `disabled`: it must take focus to say why.
          data-disabled={disabledReason ? true : undefined}
          aria-disabled={disabledReason ? true : undefined}
          aria-label={disabledReason ? `${texts.runNamed(name)}. ${disabledReason}` : texts.runNamed(name)}
          onClick={() => disabledReason || open()}
        >
          {texts.run}
        </Button>
      </Tooltip>
      <ConfirmDialog
        opened={opened}
        title={texts.runNamed(name)}
        confirm={texts.startRun}
        onConfirm={() => run.mutateAsync(workflow.id)}
        onClose={close}
      >
        <EstimatedRun workflow={workflow} found={last?.found} />
      </ConfirmDialog>
    </>
  )
}

export function useRun({ showsError = true } = {}) {
  const api = useApi()
  const navigate = useNavigate()
  const { id: workspaceId } = useWorkspace()
  return useAction((workflowId: string) => api.post<Job>(`/workflows/${workflowId}/run`), {
    refreshes: ['/jobs'],
    showsError,
    onSuccess: (job) =>
      navigate({ to: '/w/$workspaceId/jobs/$jobId', params: { workspaceId, jobId: job.id } }),
  })
}

function disabledReasonOf(
  { status, sources, destinations }: Workflow,
  { allowed, unsaved }: { allowed: boolean; unsaved: boolean },
): string | undefined {
  if (!allowed) return texts.whyNoRun.role
  if (unsaved) return texts.whyNoRun.unsaved
  if (sources.length === 0 || destinations.length === 0) return texts.whyNoRun.incomplete
  return status === 'inactive' ? texts.whyNoRun.paused : undefined
}
