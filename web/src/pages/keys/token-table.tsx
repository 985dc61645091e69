import { ActionIcon, Text, Tooltip } from '@mantine/core'
import { IconTrash, IconUserSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useSession } from '../../service/session.ts'
import type { PersonalToken } from '../../service/types.ts'
import { keysTexts } from '../../texts/keys.ts'
import { Expiry } from './expiry.tsx'

const texts = keysTexts.tokens
const headers = keysTexts.columns

/** Own tokens, or those of all other members for administrators. */
export function TokenTable({ of }: { of: 'me' | 'all' }) {
  const api = useApi()
  const { user } = useSession()
  const tokens = useQuery(api.list<PersonalToken>('/personal-tokens', { of }))
  const [revoking, setRevoking] = useState<PersonalToken>()
  const revoke = useAction(({ id }: PersonalToken) => api.delete(`/personal-tokens/${id}`), {
    refreshes: ['/personal-tokens'],
    notice: (_, { name }) => texts.revoked(name),
    showsError: false,
  })
  if (tokens.isError) return <QueryFailure query={tokens} />
  const rows = of === 'all' ? tokens.data?.filter(({ person }) => person.id !== user.id) : tokens.data
  return (
    <>
      <DataTable
        label={of === 'all' ? texts.listAll : texts.list}
        columns={tokenColumns(of, setRevoking)}
        rows={rows}
        rowId={({ id }) => id}
        initialSort={{ by: 'created', direction: 'descending' }}
        empty={of === 'all' ? <Text c="dimmed">{texts.emptyAll}</Text> : <NoTokens />}
      />
      <ConfirmDialog
        opened={revoking !== undefined}
        title={texts.revoke(revoking?.name ?? '')}
        confirm={texts.revokeConfirm}
        destructive
        onConfirm={async () => revoking && revoke.mutateAsync(revoking)}
        onClose={() => setRevoking(undefined)}
      >
        {texts.revokeText(revoking?.name ?? '')}
      </ConfirmDialog>
    </>
  )
}

function tokenColumns(of: 'me' | 'all', onRevoke: (token: PersonalToken) => void): Column<PersonalToken>[] {
  return [
    {
      id: 'name',
      header: headers.name,
      cell: ({ name }) => <Text fw={500}>{name}</Text>,
      sortBy: ({ name }) => name,
    },
    ...(of === 'all'
      ? [{ id: 'person', header: texts.person, cell: ({ person }: PersonalToken) => person.name }]
      : []),
    {
      id: 'token',
      header: texts.field,
      hideOnPhone: true,
      cell: ({ last_four: four }) => <span className="mono">…{four}</span>,
    },
    {
      id: 'created',
      header: headers.created,
      hideOnPhone: true,
      cell: ({ created_at: at }) => <RelativeTime at={at} />,
      sortBy: ({ created_at: at }) => at,
    },
    {
      id: 'last-used',
      header: headers.lastUsed,
      cell: ({ last_used_at: at }) => <RelativeTime at={at} absent={keysTexts.neverUsed} />,
      sortBy: ({ last_used_at: at }) => at,
    },
    {
      id: 'expires',
      header: headers.expires,
      cell: ({ expires_at: at }) => <Expiry at={at} />,
      sortBy: ({ expires_at: at }) => at,
    },
    {
      id: 'actions',
      header: headers.actions,
      hiddenHeader: true,
      align: 'end',
      width: 48,
      cell: (token) => (
        <Tooltip label={texts.revoke(token.name)}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={texts.revoke(token.name)}
            onClick={() => onRevoke(token)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Tooltip>
      ),
    },
  ]
}

function NoTokens() {
  return (
    <EmptyState icon={<IconUserSearch size={32} stroke={1.5} />} title={texts.empty.title}>
      {texts.empty.text}
    </EmptyState>
  )
}
