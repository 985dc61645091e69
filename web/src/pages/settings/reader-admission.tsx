import { Switch } from '@mantine/core'
import { Panel } from '../../components/panel.tsx'
import { useAction } from '../../service/action.ts'
import { queryClient } from '../../service/query-client.ts'
import { sessionQuery, useApi } from '../../service/session.ts'
import type { Workspace } from '../../service/types.ts'
import { settingsTexts } from '../../texts/settings.ts'

import { useSetupState } from '../sign-in/setup-state.ts'

const texts = settingsTexts.readerAdmission

/** Only for services with an identity provider. */
export function ReaderAdmission({ workspace }: { workspace: Workspace }) {
  const api = useApi()
  const setup = useSetupState()
  const change = useAction(
    async (admits: boolean) => {
      await api.patch(`/workspaces/${workspace.id}`, { admits_readers: admits })
      await queryClient.refetchQueries(sessionQuery)
    },
    { notice: (_, admits) => (admits ? texts.admitted : texts.refused) },
  )
  if (!setup?.oidc) return null
  return (
    <Panel title={texts.title} description={texts.text}>
      <Switch
        label={texts.label}
        checked={change.isPending ? change.variables : workspace.admits_readers}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
    </Panel>
  )
}
