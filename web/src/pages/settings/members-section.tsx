import { Stack } from '@mantine/core'
import { EmptyState } from '../../components/empty-state.tsx'
import { useSession } from '../../service/session.ts'
import { may, type Workspace } from '../../service/types.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { Invitations } from './invitations.tsx'
import { MembersTable } from './members-table.tsx'
import { ReaderAdmission } from './reader-admission.tsx'

const texts = settingsTexts.members

export function MembersSection({ workspace }: { workspace: Workspace }) {
  const { tier } = useSession()
  if (tier === 'personal') return <EmptyState title={texts.title}>{texts.personal}</EmptyState>
  if (!may(workspace.role, 'administrator'))
    return <EmptyState title={texts.title}>{texts.administratorsOnly}</EmptyState>
  return (
    <Stack gap="lg">
      <MembersTable workspace={workspace} />
      <Invitations workspace={workspace} />
      <ReaderAdmission workspace={workspace} />
    </Stack>
  )
}
