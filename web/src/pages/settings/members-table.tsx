import { Alert, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { IconKey, IconUserMinus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { ShownOnce } from '../../components/shown-once.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useSession } from '../../service/session.ts'
import {
  type Member,
  may,
  type ResetLink,
  type Role,
  roles,
  type WorkingKeys,
  type Workspace,
} from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { type Demotion, DemotionDialog, keysPath } from './demotion.tsx'
import { nameOf } from './member-name.ts'

const texts = settingsTexts.members

type CreatedLink = { member: Member; link: string }
type RoleChange = { member: Member; role: Role; disablesKeys: boolean }

/** Members with roles, removal and reset links. */
export function MembersTable({ workspace }: { workspace: Workspace }) {
  const api = useApi()
  const { user } = useSession()
  const path = `/workspaces/${workspace.id}/members`
  const members = useQuery(api.list<Member>(path))
  const [demoting, setDemoting] = useState<Demotion>()
  const [resetting, setResetting] = useState<Member>()
  const [link, setLink] = useState<CreatedLink>()

  const change = useAction(
    ({ member, role, disablesKeys }: RoleChange) =>
      api.put(`${path}/${member.user_id}`, { role, disable_keys: disablesKeys }),
    {
      refreshes: [path],
      notice: (_, { member, role }) => texts.roleChanged(nameOf(member), roleTexts[role].name),
      showsError: demoting === undefined,
    },
  )
  const remove = useAction(
    ({ member, disablesKeys }: { member: Member; disablesKeys: boolean }) =>
      api.delete(`${path}/${member.user_id}?disable_keys=${disablesKeys}`),
    { refreshes: [path], notice: (_, { member }) => texts.removed(nameOf(member)), showsError: false },
  )
  /** Asks first if the member has keys that would stop working. */
  const selectRole = useAction(async ({ member, role }: { member: Member; role: Role }) => {
    const losesKeys = may(member.role, 'developer') && !may(role, 'developer')
    const keys = losesKeys ? await api.get<WorkingKeys[]>(keysPath(workspace, member)) : []
    if (keys.some(({ workspace_id: id }) => id === workspace.id)) setDemoting({ member, role })
    else change.mutate({ member, role, disablesKeys: true })
  })

  const shownRole = (member: Member) => {
    const changing = change.isPending
      ? change.variables
      : selectRole.isPending
        ? selectRole.variables
        : undefined
    return changing?.member.user_id === member.user_id ? changing.role : member.role
  }

  return (
    <Panel title={texts.title}>
      <Stack>
        <DataTable
          label={texts.title}
          columns={memberColumns({
            userId: user.id,
            shownRole,
            onRole: (member, role) => selectRole.mutate({ member, role }),
            onReset: setResetting,
            onRemove: (member) => setDemoting({ member, role: null }),
          })}
          rows={members.data}
          query={members}
          rowId={(member) => member.user_id}
          initialSort={{ by: 'name', direction: 'ascending' }}
          empty={<EmptyState title={texts.none} />}
        />
        <div role="status">{link ? <ResetLinkNote {...link} /> : null}</div>
      </Stack>
      <DemotionDialog
        workspace={workspace}
        demoting={demoting}
        onConfirm={async (disablesKeys) => {
          if (!demoting) return
          const { member, role } = demoting
          if (role) await change.mutateAsync({ member, role, disablesKeys })
          else await remove.mutateAsync({ member, disablesKeys })
        }}
        onClose={() => setDemoting(undefined)}
      />
      <ResetDialog path={path} member={resetting} onLink={setLink} onClose={() => setResetting(undefined)} />
    </Panel>
  )
}

type ColumnOptions = {
  userId: string
  shownRole: (member: Member) => Role
  onRole: (member: Member, role: Role) => void
  onReset: (member: Member) => void
  onRemove: (member: Member) => void
}

function memberColumns({ userId, shownRole, onRole, onReset, onRemove }: ColumnOptions): Column<Member>[] {
  return [
    {
      id: 'name',
      header: texts.columns.name,
      sortBy: nameOf,
      cell: (member) => (
        <>
          <Text span fw={500}>
            {nameOf(member)}
          </Text>
          {member.user_id === userId ? ` (${texts.you})` : ''}
        </>
      ),
    },
    {
      id: 'email',
      header: texts.columns.email,
      hideOnPhone: true,
      cell: ({ email }) => email,
      sortBy: ({ email }) => email,
    },
    {
      id: 'role',
      header: texts.columns.role,
      sortBy: ({ role }) => roles.indexOf(role),
      cell: (member) => (
        <NativeSelect
          size="xs"
          w={152}
          aria-label={texts.roleOf(nameOf(member))}
          value={shownRole(member)}
          data={roles.map((role) => ({ value: role, label: roleTexts[role].name }))}
          onChange={(event) => onRole(member, event.currentTarget.value as Role)}
        />
      ),
    },
    {
      id: 'joined',
      header: texts.columns.joined,
      hideOnPhone: true,
      cell: ({ joined_at: at }) => <RelativeTime at={at} />,
      sortBy: ({ joined_at: at }) => at,
    },
    {
      id: 'actions',
      header: texts.columns.actions,
      hiddenHeader: true,
      align: 'end',
      cell: (member) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          {member.user_id === userId ? null : (
            <IconButton
              label={texts.reset(nameOf(member))}
              icon={<IconKey size={16} />}
              onClick={() => onReset(member)}
            />
          )}
          <IconButton
            label={texts.remove(nameOf(member))}
            icon={<IconUserMinus size={16} />}
            onClick={() => onRemove(member)}
          />
        </Group>
      ),
    },
  ]
}

type ResetDialogProps = {
  path: string
  member: Member | undefined
  onLink: (created: CreatedLink) => void
  onClose: () => void
}

function ResetDialog({ path, member, onLink, onClose }: ResetDialogProps) {
  const api = useApi()
  return (
    <ConfirmDialog
      opened={member !== undefined}
      title={member ? texts.reset(nameOf(member)) : ''}
      confirm={texts.resetConfirm}
      onConfirm={async () => {
        if (!member) return
        const created = await api.post<ResetLink>(`${path}/${member.user_id}/reset-link`)
        onLink({ member, link: new URL(created.link, window.location.origin).href })
      }}
      onClose={onClose}
    >
      {member ? texts.resetText(nameOf(member)) : ''}
    </ConfirmDialog>
  )
}

function ResetLinkNote({ member, link }: CreatedLink) {
  return (
    <Alert variant="outline" title={texts.resetReady(nameOf(member))}>
      <ShownOnce label={texts.resetLink} value={link} what={texts.theResetLink} note={texts.resetOnce} />
    </Alert>
  )
}
