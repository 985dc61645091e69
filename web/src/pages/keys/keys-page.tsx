import { Alert, Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { PageHeader } from '../../components/page-header.tsx'
import { useChosenWorkspace } from '../../service/session.ts'
import { may, type Workspace } from '../../service/types.ts'
import { keysTexts as texts } from '../../texts/keys.ts'
import { roleTexts } from '../../texts/roles.ts'
import { KeyTable } from './key-table.tsx'
import { NewKey } from './new-key.tsx'
import { PersonalTokens } from './personal-tokens.tsx'
import { Snippets } from './snippets.tsx'

export function KeysPage() {
  const workspace = useChosenWorkspace()
  const [opened, { open, close }] = useDisclosure(false)
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
            onClick={open}
          >
            {texts.newKey}
          </Button>
        }
      />
      <Stack gap="lg">
        {disabledReason ? (
          <Alert variant="outline" id="no-key" icon={<IconKey size={18} />}>
            {disabledReason}
          </Alert>
        ) : null}
        {workspace && may(workspace.role, 'developer') ? <KeyTable workspace={workspace} /> : null}
        {workspace ? <PersonalTokens workspace={workspace} /> : null}
        {workspace ? <NewKey opened={opened} onClose={close} /> : null}
        <Snippets />
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
