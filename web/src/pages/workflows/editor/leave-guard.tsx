import { useBlocker } from '@tanstack/react-router'
import type { RefObject } from 'react'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { workflowsTexts } from '../../../texts/workflows.ts'

const texts = workflowsTexts.editor

/** Asks before changes are lost. Reads the ref on navigation, when a save may just have finished. */
export function LeaveGuard({ dirty }: { dirty: RefObject<boolean> }) {
  const { status, proceed, reset } = useBlocker({
    // Another view is the same path with another query.
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
