import { Group, Stack, Text } from '@mantine/core'
import { IconDatabase, IconWorldWww } from '@tabler/icons-react'
import { useState } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ButtonLink, TextLink } from '../../components/links.tsx'
import { every } from '../../components/loaded.tsx'
import { useWorkspace } from '../../service/session.ts'
import type { Workflow } from '../../service/types.ts'
import { connectTexts } from '../../texts/connect.ts'
import { connectorsTexts as texts } from '../../texts/connectors.ts'
import { SandboxBadge } from '../sandbox/sandbox-badge.tsx'
import { SandboxFilled } from '../sandbox/sandbox-filled.tsx'
import { useAllWorkflows } from '../workflows/queries.ts'
import { LastCheck } from './check/last-check.tsx'
import { ConnectorMenu } from './connector-menu.tsx'
import { findType, locationOf } from './connector-type.ts'
import { DeleteConnector } from './delete-connector.tsx'
import { useConnectors, useConnectorTypes } from './queries.ts'
import type { Connector, Kind } from './types.ts'
import { workflowsUsing } from './workflows-using.ts'

export function ConnectorTable({ kind, allowed }: { kind: Kind; allowed: boolean }) {
  const { id: workspaceId } = useWorkspace()
  const known = every(useConnectors(kind), useConnectorTypes(), useAllWorkflows())
  const [connectors, types, workflows = []] = known.data ?? []
  const [deleting, setDeleting] = useState<Connector>()
  const typeOf = ({ type }: Connector) => findType(types, kind, type)
  const titleOf = (connector: Connector) => typeOf(connector)?.title ?? connector.type
  const addressOf = (connector: Connector) => {
    const type = typeOf(connector)
    return type ? locationOf(type, connector.config) : ''
  }

  const Icon = kind === 'source' ? IconWorldWww : IconDatabase
  return (
    <>
      <DataTable
        label={texts.list[kind]}
        columns={connectorColumns({
          workspaceId,
          kind,
          allowed,
          workflows,
          titleOf,
          addressOf,
          onDelete: setDeleting,
        })}
        rows={connectors}
        query={known}
        rowId={({ id }) => id}
        initialSort={{ by: 'name', direction: 'ascending' }}
        empty={
          <EmptyState
            icon={<Icon size={32} stroke={1.5} />}
            title={texts.empty[kind].title}
            action={
              allowed ? (
                <ButtonLink to="/w/$workspaceId/connect" params={{ workspaceId }}>
                  {connectTexts.open}
                </ButtonLink>
              ) : undefined
            }
          >
            {texts.empty[kind].text}
          </EmptyState>
        }
      />
      {deleting ? (
        <DeleteConnector
          kind={kind}
          connector={deleting}
          type={typeOf(deleting)}
          usedBy={workflowsUsing(workflows, kind, deleting.id)}
          onClose={() => setDeleting(undefined)}
        />
      ) : null}
    </>
  )
}

type ColumnOptions = {
  workspaceId: string
  kind: Kind
  allowed: boolean
  workflows: Workflow[]
  titleOf: (connector: Connector) => string
  addressOf: (connector: Connector) => string
  onDelete: (connector: Connector) => void
}

function connectorColumns({
  workspaceId,
  kind,
  allowed,
  workflows,
  titleOf,
  addressOf,
  onDelete,
}: ColumnOptions): Column<Connector>[] {
  return [
    {
      id: 'name',
      header: texts.columns.name,
      cell: ({ id, name, sandbox }) => (
        <Group gap="4px 8px">
          <TextLink
            fw={500}
            to="/w/$workspaceId/connectors/$kind/$connectorId"
            params={{ workspaceId, kind, connectorId: id }}
          >
            {name}
          </TextLink>
          {sandbox ? <SandboxBadge /> : null}
        </Group>
      ),
      sortBy: ({ name }) => name,
    },
    { id: 'type', header: texts.columns.type, hideOnPhone: true, cell: titleOf, sortBy: titleOf },
    {
      id: 'address',
      header: texts.columns.address,
      hideOnPhone: true,
      cell: (connector) =>
        connector.sandbox ? (
          <SandboxFilled />
        ) : (
          <Text size="sm" c="dimmed" truncate maw={320} title={addressOf(connector)}>
            {addressOf(connector)}
          </Text>
        ),
      sortBy: addressOf,
    },
    {
      id: 'used-by',
      header: texts.columns.usedBy,
      hideOnPhone: true,
      cell: ({ id }) => <UsedBy workflows={workflowsUsing(workflows, kind, id)} />,
      sortBy: ({ id }) => workflowsUsing(workflows, kind, id).length,
    },
    {
      id: 'last-check',
      header: texts.columns.lastCheck,
      cell: ({ id }) => <LastCheck kind={kind} id={id} />,
    },
    {
      id: 'actions',
      header: texts.columns.actions,
      hiddenHeader: true,
      align: 'end',
      width: 48,
      cell: (connector) => (
        <ConnectorMenu kind={kind} connector={connector} allowed={allowed} onDelete={onDelete} />
      ),
    },
  ]
}

function UsedBy({ workflows }: { workflows: Workflow[] }) {
  const { id: workspaceId } = useWorkspace()
  if (workflows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {texts.unused}
      </Text>
    )
  }
  // More than two would make the row too high.
  if (workflows.length > 2) return texts.usedBy(workflows.length)
  return (
    <Stack gap={0}>
      {workflows.map(({ id, name }) => (
        <TextLink
          key={id}
          size="sm"
          to="/w/$workspaceId/workflows/$workflowId"
          params={{ workspaceId, workflowId: id }}
        >
          {name}
        </TextLink>
      ))}
    </Stack>
  )
}
