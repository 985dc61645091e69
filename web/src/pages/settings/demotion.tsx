import { Checkbox, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useApi, useSession } from '../../service/session.ts'
import type { Member, Role, WorkingKeys, Workspace } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { nameOf } from './member-name.ts'

const texts = settingsTexts.members

/** A member with the new, lower role; null removes the member. */
export type Demotion = { member: Member; role: Role | null }

type Props = {
  workspace: Workspace
  demoting: Demotion | undefined
  onConfirm: (disablesKeys: boolean) => Promise<unknown>
  onClose: () => void
}

/** Confirms a lower role or a removal, and shows how many keys of the member work. */
export function DemotionDialog({ workspace, demoting, onConfirm, onClose }: Props) {
  const [disablesKeys, setDisablesKeys] = useState(true)
  const close = () => {
    setDisablesKeys(true)
    onClose()
  }
  const name = demoting ? nameOf(demoting.member) : ''
  const role = demoting?.role ? roleTexts[demoting.role].name : undefined
  return (
    <ConfirmDialog
      opened={demoting !== undefined}
      title={role ? texts.demote(name, role) : texts.remove(name)}
      confirm={role ? texts.demoteConfirm : texts.removeConfirm}
      destructive
      onConfirm={() => onConfirm(disablesKeys)}
      onClose={close}
    >
      {demoting ? (
        <Stack>
          <Text>{role ? texts.demoteText(name, role) : texts.removeText(name, workspace.name)}</Text>
          <Keys
            workspace={workspace}
            member={demoting.member}
            disablesKeys={disablesKeys}
            onChange={setDisablesKeys}
          />
        </Stack>
      ) : null}
    </ConfirmDialog>
  )
}

type KeysProps = {
  workspace: Workspace
  member: Member
  disablesKeys: boolean
  onChange: (disablesKeys: boolean) => void
}

function Keys({ workspace, member, disablesKeys, onChange }: KeysProps) {
  const api = useApi()
  const { user } = useSession()
  const path = keysPath(workspace, member)
  // A separate query key: reloading the members must not reload this.
  const keys = useQuery({
    queryKey: ['working-keys', path],
    queryFn: ({ signal }) => api.get<WorkingKeys[]>(path, { signal }),
    staleTime: 0,
  })
  if (keys.isPending) return <Skeleton height={48} />
  const name = nameOf(member)
  const isOwn = member.user_id === user.id
  const here = keys.data?.find(({ workspace_id: id }) => id === workspace.id)?.keys
  const elsewhere = keys.data?.filter(({ workspace_id: id }) => id !== workspace.id) ?? []
  return (
    <>
      {keys.data ? (
        <Text>
          {here ? texts.keysHere(name, here, workspace.name) : texts.noKeys(name, workspace.name)}
          {elsewhere.map((each) => ` ${texts.keysElsewhere(each.keys, each.workspace)}`)}
          {here && isOwn ? ` ${texts.ownKeys}` : null}
        </Text>
      ) : null}
      {/* Offered also if the number is unknown, but not for own keys. */}
      {!isOwn && (here || !keys.data) ? (
        <Checkbox
          label={texts.disableKeys}
          description={texts.disableKeysText}
          checked={disablesKeys}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      ) : null}
    </>
  )
}

export function keysPath(workspace: Workspace, { user_id: id }: Member): string {
  return `/workspaces/${workspace.id}/members/${id}/keys`
}
