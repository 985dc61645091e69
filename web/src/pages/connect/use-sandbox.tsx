import { Button } from '@mantine/core'
import { useAction } from '../../service/action.ts'
import { useApi } from '../../service/session.ts'
import { connectTexts } from '../../texts/connect.ts'
import type { Connector } from '../connectors/types.ts'

/** Creates the sandbox, or finds it. */
export function UseSandbox({ onCreated }: { onCreated: (sandbox: Connector) => Promise<void> }) {
  const api = useApi()
  const create = useAction(() => api.post<Connector>('/sandbox'), {
    refreshes: ['/destinations', '/sandbox', '/overview'],
    onSuccess: onCreated,
  })
  return (
    <Button w="fit-content" loading={create.isPending} onClick={() => create.mutate()}>
      {connectTexts.useSandbox}
    </Button>
  )
}
