import { Group, Text } from '@mantine/core'
import { TextLink } from '../../components/links.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { sandboxTexts as texts } from '../../texts/sandbox.ts'
import { useSandbox } from './sandbox.ts'
import { SandboxBadge } from './sandbox-badge.tsx'

type Props = {
  destinationId: string | null | undefined
  /** False where the screen links to a new destination anyway. */
  linked?: boolean
}

/** Marks a chosen destination that is the sandbox, with its limit. */
export function SandboxNote({ destinationId, linked = true }: Props) {
  const { id: workspaceId, role } = useWorkspace()
  const sandbox = useSandbox().data
  if (!sandbox || !destinationId || sandbox.destination_id !== destinationId) return null
  const { documents, max_documents: most } = sandbox
  return (
    <Group gap="4px 8px" align="baseline" pt={4}>
      <SandboxBadge />
      <Text size="sm" c="dimmed">
        {texts.about(most)} {documents < most ? texts.holds(documents) : texts.full} {sandbox.reason}
      </Text>
      {linked && may(role, 'developer') ? (
        <TextLink
          size="sm"
          to="/w/$workspaceId/connectors/$kind/new"
          params={{ workspaceId, kind: 'destination' }}
        >
          {texts.useOwn}
        </TextLink>
      ) : null}
    </Group>
  )
}
