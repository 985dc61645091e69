import { Button, type ButtonProps } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useAction } from '../../service/action.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import type { TryResponse } from './types.ts'

const CHANGED = [
  '/samples',
  '/sandbox',
  '/sources',
  '/destinations',
  '/search',
  '/workflows',
  '/jobs',
  '/overview',
]

/** Builds sample source, sandbox and workflow, starts the run and opens its progress. */
export function TryButton({ label, ...button }: ButtonProps & { label: string }) {
  const api = useApi()
  const navigate = useNavigate()
  const { id: workspaceId } = useWorkspace()
  const start = useAction(() => api.post<TryResponse>('/samples/try', {}), {
    onSuccess: async ({ job_id: job, destination_id: destination, people: [first, second] }) => {
      await navigate({
        to: '/w/$workspaceId/try',
        params: { workspaceId },
        search: { job, destination, query: first?.query, user: first?.id, user2: second?.id },
      })
      // After leaving, or the start page would change first.
      await api.refresh(...CHANGED)
    },
  })
  return (
    <Button {...button} loading={start.isPending} onClick={() => start.mutate()}>
      {label}
    </Button>
  )
}
