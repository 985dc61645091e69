import { Group, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CopyButton } from '../../components/copy-button.tsx'
import type { Column } from '../../components/data-table.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useSession } from '../../service/session.ts'
import type { ApiKey, ResponseOf, Workspace } from '../../service/types.ts'
import { keysTexts as texts } from '../../texts/keys.ts'
import { CredentialTable } from './credential-table.tsx'

export function KeyTable({ workspace }: { workspace: Workspace }) {
  const { user } = useSession()
  const keys = useQuery(useApi().list<ApiKey>('/keys'))
  // Hides unusable buttons; the service enforces the rule.
  const canManage = (key: ApiKey) => workspace.role === 'administrator' || key.created_by?.id === user.id
  return (
    <CredentialTable
      kind="key"
      path="/keys"
      query={keys}
      columns={keyColumns(canManage)}
      canDelete={canManage}
    />
  )
}

function keyColumns(canManage: (key: ApiKey) => boolean): Column<ApiKey>[] {
  return [
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
    { id: 'scope', header: texts.columns.scope, cell: scopeText, sortBy: ({ scope }) => scope },
    {
      id: 'created-by',
      header: texts.columns.createdBy,
      hideOnPhone: true,
      cell: ({ created_by: creator }) => creator?.name ?? texts.noCreator,
      sortBy: ({ created_by: creator }) => creator?.name ?? null,
    },
    {
      id: 'status',
      header: texts.columns.status,
      width: 128,
      cell: (key) => <Toggle apiKey={key} disabled={!canManage(key)} />,
      sortBy: ({ enabled }) => Number(!enabled),
    },
  ]
}

function CopyKey({ apiKey: { id, name } }: { apiKey: ApiKey }) {
  const api = useApi()
  const reveal = () => api.post<ResponseOf<'POST /api/v1/keys/{id}/reveal'>>(`/keys/${id}/reveal`)
  return <CopyButton what={texts.key.the(name)} text={async () => (await reveal()).key} />
}

function scopeText({ scope, may_impersonate: mayImpersonate, destination_ids: ids }: ApiKey): string {
  const limits = [
    ...(mayImpersonate ? [texts.mayImpersonate] : []),
    ...(ids.length > 0 ? [texts.destinations(ids.length)] : []),
  ]
  return [texts.scopes[scope].label, ...limits].join(', ')
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
