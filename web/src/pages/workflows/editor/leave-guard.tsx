import { useBlocker } from '@tanstack/react-router'
import type { RefObject } from 'react'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { workflowsTexts } from '../../../texts/workflows.ts'

const texts = workflowsTexts.editor

/** Asks before changes are lost. The reference is read at that moment: what was just saved is not lost. */
export function LeaveGuard({ dirty }: { dirty: RefObject<boolean> }) {
  const { status, proceed, reset } = useBlocker({
    // Another view of the same workflow is the same address with another query.
    shouldBlockFn: ({ current, next }) => dirty.current && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty.current,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      opened={status === 'blocked'}
      title={texts.leaveTitle}
      confirm={texts.leave}
      destructive
      onConfirm={async () => proceed?.()}
      onClose={() => reset?.()}
    >
      {texts.leaveText}
    </ConfirmDialog>
  )
}
