import { useQuery } from '@tanstack/react-query'
import { useApi, useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'

export type Sandbox = {
  available: boolean
  /** Why it is not available. */
  reason: string | null
  destination_id: string | null
  max_documents: number
  documents: number
}

/** The sandbox of the workspace; readers may not see it. */
export function useSandbox(enabled = true) {
  const { role } = useWorkspace()
  return useQuery({ ...useApi().query<Sandbox>('/sandbox'), enabled: enabled && may(role, 'viewer') })
}
