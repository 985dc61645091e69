import { Menu } from '@mantine/core'
import { IconCopy, IconDownload, IconPencil, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode } from 'react'
import { useNotices } from '../../components/notices.tsx'
import { RowMenu } from '../../components/row-menu.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import type { Workflow } from '../../service/types.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'
import type { Connector } from '../connectors/types.ts'
import { draftOf } from './draft/draft.ts'
import { downloadYaml } from './yaml/download.ts'

type ItemProps = AnchorHTMLAttributes<HTMLAnchorElement> & { leftSection?: ReactNode; disabled?: boolean }
const MenuLink = createLink((props: ItemProps) => <Menu.Item component="a" {...props} />)

type Props = { workflow: Workflow; allowed: boolean; onDelete: (workflow: Workflow) => void }

export function WorkflowMenu({ workflow, allowed, onDelete }: Props) {
  const { id, name } = workflow
  const { id: workspaceId } = useWorkspace()
  const notices = useNotices()
  const api = useApi()
  const client = useQueryClient()
  async function exportYaml(): Promise<void> {
    const [sources, destinations] = await Promise.all([
      client.fetchQuery(api.list<Connector>('/sources')),
      client.fetchQuery(api.list<Connector>('/destinations')),
    ])
    await downloadYaml(draftOf(workflow), { sources, destinations })
  }
  return (
    <RowMenu label={texts.menu(name)}>
      <MenuLink
        leftSection={<IconPencil size={16} />}
        to="/w/$workspaceId/workflows/$workflowId"
        params={{ workspaceId, workflowId: id }}
      >
        {texts.edit}
      </MenuLink>
      <MenuLink
        leftSection={<IconCopy size={16} />}
        disabled={!allowed}
        to="/w/$workspaceId/workflows/new/custom"
        params={{ workspaceId }}
        search={{ from: id }}
      >
        {texts.duplicate}
      </MenuLink>
      <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => exportYaml().catch(notices.error)}>
        {texts.export}
      </Menu.Item>
      <Menu.Item leftSection={<IconTrash size={16} />} disabled={!allowed} onClick={() => onDelete(workflow)}>
        {texts.delete}
      </Menu.Item>
    </RowMenu>
  )
}
