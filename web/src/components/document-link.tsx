import type { ReactNode } from 'react'
import { useWorkspace } from '../service/session.ts'
import { TextLink } from './links.tsx'

type Props = {
  recordId: string
  /** The workflow whose copy to show, where several write it. */
  workflowId?: string | null | undefined
  size?: string
  fw?: number
  /** The title, or the record id without one. */
  children?: ReactNode
}

/** Every link to a document of the workspace. */
export function DocumentLink({ recordId, workflowId, children, ...style }: Props) {
  const { id: workspaceId } = useWorkspace()
  return (
    <TextLink
      to="/w/$workspaceId/documents"
      params={{ workspaceId }}
      search={{ record: recordId, workflow: workflowId ?? undefined }}
      style={{ overflowWrap: 'anywhere' }}
      {...style}
    >
      {children || recordId}
    </TextLink>
  )
}
