import { ActionIcon, NativeSelect, Stack, Text, Tooltip } from '@mantine/core'
import { IconUserMinus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAction } from '../../action.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useApi, useSession } from '../../session.ts'
import { roleTexts } from '../../texts/roles.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { type Member, may, type Role, roles, type Workspace } from '../../types.ts'
import { Invitations } from './invitations.tsx'

const texts = settingsTexts.members

export function MembersSection({ workspace }: { workspace: Workspace }) {
  const { tier } = useSession()
  if (tier === 'personal') return <EmptyState title={texts.title}>{texts.personal}</EmptyState>
  if (!may(workspace.role, 'administrator'))
    return <EmptyState title={texts.title}>{texts.administratorsOnly}</EmptyState>
  return (
    <Stack gap="lg">
      <Members workspace={workspace} />
      <Invitations workspace={workspace} />
    </Stack>
  )
}

function Members({ workspace }: { workspace: Workspace }) {
  const api = useApi()
  const { user } = useSession()
  const path = `/workspaces/${workspace.id}/members`
  const members = useQuery(api.query<Member[]>(path))
  const [leaving, setLeaving] = useState<Member>()
  const change = useAction(
    ({ member, role }: { member: Member; role: Role }) => api.put(`${path}/${member.user_id}`, { role }),
    {
      refreshes: [path],
      says: (_, { member, role }) => texts.roleChanged(nameOf(member), roleTexts[role].name),
    },
  )
  const remove = useAction((member: Member) => api.delete(`${path}/${member.user_id}`), {
    refreshes: [path],
    says: (_, member) => texts.removed(nameOf(member)),
    showsError: false,
  })

  const columns: Column<Member>[] = [
    {
      id: 'name',
      header: texts.columns.name,
      sortBy: nameOf,
      cell: (member) => (
        <>
          <Text span fw={500}>
            {nameOf(member)}
          </Text>
          {member.user_id === user.id ? ` (${texts.you})` : ''}
        </>
      ),
    },
    {
      id: 'email',
      header: texts.columns.email,
      wide: true,
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
          value={
            change.isPending && change.variables.member.user_id === member.user_id
              ? change.variables.role
              : member.role
          }
          data={roles.map((role) => ({ value: role, label: roleTexts[role].name }))}
          onChange={(event) => change.mutate({ member, role: event.currentTarget.value as Role })}
        />
      ),
    },
    {
      id: 'joined',
      header: texts.columns.joined,
      wide: true,
      cell: ({ joined_at: at }) => <RelativeTime at={at} />,
      sortBy: ({ joined_at: at }) => at,
    },
    {
      id: 'actions',
      header: texts.columns.actions,
      hiddenHeader: true,
      align: 'figure',
      cell: (member) => (
        <Tooltip label={texts.remove(nameOf(member))}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={texts.remove(nameOf(member))}
            onClick={() => setLeaving(member)}
          >
            <IconUserMinus size={16} />
          </ActionIcon>
        </Tooltip>
      ),
    },
  ]

  return (
    <Panel title={texts.title}>
      {members.isError ? (
        <QueryFailure query={members} />
      ) : (
        <DataTable
          label={texts.title}
          columns={columns}
          rows={members.data}
          rowId={(member) => member.user_id}
          initialSort={{ by: 'name', direction: 'ascending' }}
          empty={<EmptyState title={texts.none} />}
        />
      )}
      <ConfirmDialog
        opened={leaving !== undefined}
        title={leaving ? texts.remove(nameOf(leaving)) : ''}
        confirm={texts.removeConfirm}
        destructive
        onConfirm={async () => leaving && remove.mutateAsync(leaving)}
        onClose={() => setLeaving(undefined)}
      >
        {leaving ? texts.removeText(nameOf(leaving), workspace.name) : ''}
      </ConfirmDialog>
    </Panel>
  )
}

function nameOf({ name, email }: Member): string {
  return name || email
}
