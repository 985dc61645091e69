import { Menu } from '@mantine/core'
import { IconCopy, IconPencil, IconPlugConnected, IconTrash } from '@tabler/icons-react'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode } from 'react'
import { RowMenu } from '../../components/row-menu.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import { connectorsTexts as texts } from '../../texts/connectors.ts'
import { startCheck } from './queries.ts'
import { type Connector, type Kind, pathOf } from './types.ts'

type ItemProps = AnchorHTMLAttributes<HTMLAnchorElement> & { leftSection?: ReactNode; disabled?: boolean }
const MenuLink = createLink((props: ItemProps) => <Menu.Item component="a" {...props} />)

type Props = { kind: Kind; connector: Connector; allowed: boolean; onDelete: (connector: Connector) => void }

export function ConnectorMenu({ kind, connector, allowed, onDelete }: Props) {
  const { id, name } = connector
  const { id: workspaceId } = useWorkspace()
  const api = useApi()
  const test = useAction(() => startCheck(api, kind, id), { refreshes: [`${pathOf(kind)}/${id}`] })
  return (
    <RowMenu label={texts.menu(name)}>
      <MenuLink
        leftSection={<IconPencil size={16} />}
        to="/w/$workspaceId/connectors/$kind/$connectorId"
        params={{ workspaceId, kind, connectorId: id }}
      >
        {texts.edit}
      </MenuLink>
      <Menu.Item
        leftSection={<IconPlugConnected size={16} />}
        disabled={!allowed}
        onClick={() => test.mutate()}
      >
        {texts.testAgain}
      </Menu.Item>
      <MenuLink
        leftSection={<IconCopy size={16} />}
        // There is one sandbox per workspace.
        disabled={!allowed || connector.sandbox === true}
        to="/w/$workspaceId/connectors/$kind/new"
        params={{ workspaceId, kind }}
        search={{ type: connector.type, from: id }}
      >
        {texts.duplicate}
      </MenuLink>
      <Menu.Item
        leftSection={<IconTrash size={16} />}
        disabled={!allowed}
        onClick={() => onDelete(connector)}
      >
        {texts.delete}
      </Menu.Item>
    </RowMenu>
  )
}
