import { Text, UnstyledButton } from '@mantine/core'
import { IconBox } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import classes from '../../components/choice-tile.module.css'
import { useAction } from '../../service/action.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import { sandboxTexts as texts } from '../../texts/sandbox.ts'
import type { Connector } from '../connectors/types.ts'
import { useSandbox } from './sandbox.ts'

/** Creates the sandbox, or opens it. */
export function SandboxTile() {
  const api = useApi()
  const navigate = useNavigate()
  const { id: workspaceId } = useWorkspace()
  const { data: sandbox } = useSandbox()
  const create = useAction(() => api.post<Connector>('/sandbox'), {
    refreshes: ['/destinations', '/sandbox', '/overview'],
    onSuccess: ({ id: connectorId }) =>
      navigate({
        to: '/w/$workspaceId/connectors/$kind/$connectorId',
        params: { workspaceId, kind: 'destination', connectorId },
      }),
  })
  if (!sandbox?.available) return null
  return (
    <UnstyledButton
      className={classes.tile}
      aria-busy={create.isPending}
      onClick={() => !create.isPending && create.mutate()}
    >
      <IconBox size={28} stroke={1.5} className={classes.icon} aria-hidden="true" />
      <span>
        <Text span display="block" fw={600}>
          {texts.badge}
        </Text>
        <Text span display="block" size="sm" c="dimmed">
          {texts.tileText(sandbox.max_documents)}
        </Text>
      </span>
    </UnstyledButton>
  )
}
