import { useQuery } from '@tanstack/react-query'
import { useApi, useWorkspace } from '../../service/session.ts'
import { may, type ResponseOf } from '../../service/types.ts'

export type Sandbox = ResponseOf<'GET /api/v1/sandbox'>

/** The sandbox of the workspace; readers may not see it. */
export function useSandbox(enabled = true) {
  const { role } = useWorkspace()
  return useQuery({ ...useApi().query<Sandbox>('/sandbox'), enabled: enabled && may(role, 'viewer') })
}
