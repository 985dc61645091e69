import { Alert, Button, Stack } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { useChosenWorkspace } from '../../service/session.ts'
import { may, type Workspace } from '../../service/types.ts'
import { keysTexts as texts } from '../../texts/keys.ts'
import { roleTexts } from '../../texts/roles.ts'
import { KeyTable } from './key-table.tsx'
import { NewCredential } from './new-credential.tsx'
import { TokenTable } from './token-table.tsx'

export function KeysPage() {
  const workspace = useChosenWorkspace()
  const [creating, setCreating] = useState<'key' | 'token'>()
  const disabledReason = disabledReasonOf(workspace)
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <Button
            leftSection={<IconPlus size={16} />}
            disabled={disabledReason !== undefined}
            aria-describedby={disabledReason ? 'no-key' : undefined}
            onClick={() => setCreating('key')}
          >
            {texts.key.new}
          </Button>
        }
      />
      <Stack gap="lg">
        {disabledReason ? (
          <Alert variant="outline" id="no-key" icon={<IconKey size={18} />}>
            {disabledReason}
          </Alert>
        ) : null}
        {workspace && !disabledReason ? <KeyTable workspace={workspace} /> : null}
        {workspace ? (
          <Panel
            title={texts.token.list}
            description={texts.token.description}
            actions={
              <Button
                variant="default"
                leftSection={<IconPlus size={16} />}
                onClick={() => setCreating('token')}
              >
                {texts.token.new}
              </Button>
            }
          >
            <TokenTable workspace={workspace} />
          </Panel>
        ) : null}
        <NewCredential kind={creating} onClose={() => setCreating(undefined)} />
      </Stack>
    </>
  )
}

/** Why no key can be created; undefined if one can. */
function disabledReasonOf(workspace: Workspace | null): string | undefined {
  if (!workspace) return texts.chooseFirst
  if (!may(workspace.role, 'developer')) return `${texts.needsRole} ${roleTexts[workspace.role].name}.`
  return undefined
}
