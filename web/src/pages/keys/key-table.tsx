import { ActionIcon, Group, Switch, Text, Tooltip } from '@mantine/core'
import { IconKey, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useSession } from '../../service/session.ts'
import type { ApiKey, ResponseOf, Workspace } from '../../service/types.ts'
import { keysTexts as texts } from '../../texts/keys.ts'
import { Expiry } from './expiry.tsx'

export function KeyTable({ workspace }: { workspace: Workspace }) {
  const api = useApi()
  const { user } = useSession()
  const keys = useQuery(api.list<ApiKey>('/keys'))
  const [deleting, setDeleting] = useState<ApiKey>()
  const remove = useAction((key: ApiKey) => api.delete(`/keys/${key.id}`), {
    refreshes: ['/keys'],
    notice: (_, { name }) => texts.deleted(name),
    showsError: false,
  })
  // Hides unusable buttons; the service enforces the rule.
  const canManage = (key: ApiKey) => workspace.role === 'administrator' || key.created_by?.id === user.id

  if (keys.isError) return <QueryFailure query={keys} />
  return (
    <>
      <DataTable
        label={texts.list}
        columns={keyColumns({ canManage, onDelete: setDeleting })}
        rows={keys.data}
        rowId={({ id }) => id}
        initialSort={{ by: 'created', direction: 'descending' }}
        empty={
          <EmptyState icon={<IconKey size={32} stroke={1.5} />} title={texts.empty.title}>
            {texts.empty.text}
          </EmptyState>
        }
      />
      <ConfirmDialog
        opened={deleting !== undefined}
        title={texts.delete(deleting?.name ?? '')}
        confirm={texts.deleteConfirm}
        destructive
        onConfirm={async () => deleting && remove.mutateAsync(deleting)}
        onClose={() => setDeleting(undefined)}
      >
        {texts.deleteText(deleting?.name ?? '')}
      </ConfirmDialog>
    </>
  )
}

type ColumnOptions = { canManage: (key: ApiKey) => boolean; onDelete: (key: ApiKey) => void }

function keyColumns({ canManage, onDelete }: ColumnOptions): Column<ApiKey>[] {
  return [
    {
      id: 'name',
      header: texts.columns.name,
      cell: ({ name }) => <Text fw={500}>{name}</Text>,
      sortBy: ({ name }) => name,
    },
    {
      id: 'key',
      header: texts.columns.key,
      cell: (key) => (
        <Group gap={4} wrap="nowrap">
          <span className="mono" style={{ whiteSpace: 'nowrap' }}>
            …{key.last_four}
          </span>
          {canManage(key) ? <CopyKey apiKey={key} /> : null}
        </Group>
      ),
    },
    {
      id: 'scope',
      header: texts.columns.scope,
      cell: scopeText,
      sortBy: ({ scope }) => scope,
    },
    {
      id: 'created-by',
      header: texts.columns.createdBy,
      hideOnPhone: true,
      cell: ({ created_by: creator }) => creator?.name ?? texts.noCreator,
      sortBy: ({ created_by: creator }) => creator?.name ?? null,
    },
    {
      id: 'created',
      header: texts.columns.created,
      hideOnPhone: true,
      cell: ({ created_at: at }) => <RelativeTime at={at} />,
      sortBy: ({ created_at: at }) => at,
    },
    {
      id: 'last-used',
      header: texts.columns.lastUsed,
      cell: ({ last_used_at: at }) => <RelativeTime at={at} absent={texts.neverUsed} />,
      sortBy: ({ last_used_at: at }) => at,
    },
    {
      id: 'expires',
      header: texts.columns.expires,
      hideOnPhone: true,
      cell: ({ expires_at: at }) => <Expiry at={at} />,
      sortBy: ({ expires_at: at }) => at ?? '9',
    },
    {
      id: 'status',
      header: texts.columns.status,
      width: 128,
      cell: (key) => <Toggle apiKey={key} disabled={!canManage(key)} />,
      sortBy: ({ enabled }) => Number(!enabled),
    },
    {
      id: 'actions',
      header: texts.columns.actions,
      hiddenHeader: true,
      align: 'end',
      width: 48,
      cell: (key) =>
        canManage(key) ? (
          <Tooltip label={texts.delete(key.name)}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={texts.delete(key.name)}
              onClick={() => onDelete(key)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Tooltip>
        ) : null,
    },
  ]
}

function CopyKey({ apiKey: { id, name } }: { apiKey: ApiKey }) {
  const api = useApi()
  const reveal = () => api.post<ResponseOf<'POST /api/v1/keys/{id}/reveal'>>(`/keys/${id}/reveal`)
  return <CopyButton what={texts.theKey(name)} text={async () => (await reveal()).key} />
}

function scopeText({ scope, may_impersonate: mayImpersonate, destination_ids: ids }: ApiKey): string {
  const limits = [
    ...(mayImpersonate ? [texts.mayImpersonate] : []),
    ...(ids.length > 0 ? [texts.destinations(ids.length)] : []),
  ]
  return [texts.scopes[scope], ...limits].join(', ')
}

function Toggle({ apiKey, disabled }: { apiKey: ApiKey; disabled: boolean }) {
  const api = useApi()
  const toggle = useAction((enabled: boolean) => api.patch<ApiKey>(`/keys/${apiKey.id}`, { enabled }), {
    refreshes: ['/keys'],
    notice: (_, enabled) => (enabled ? texts.enabled : texts.disabled)(apiKey.name),
  })
  // Shows the new state while saving.
  const enabled = toggle.isPending ? toggle.variables : apiKey.enabled
  return (
    <Switch
      aria-label={texts.toggle(apiKey.name)}
      label={enabled ? texts.on : texts.off}
      checked={enabled}
      disabled={disabled}
      onChange={(event) => toggle.mutate(event.currentTarget.checked)}
    />
  )
}
