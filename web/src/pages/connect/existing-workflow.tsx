import { Alert, Group, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { ButtonLink } from '../../components/links.tsx'
import { useWorkspace } from '../../service/session.ts'
import type { Workflow } from '../../service/types.ts'
import { connectTexts } from '../../texts/connect.ts'

const texts = connectTexts.existing

/** Instead of a second workflow, which the service would refuse. */
export function ExistingWorkflow({ workflow: { id, name } }: { workflow: Workflow }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <Alert variant="outline" icon={<IconInfoCircle size={18} />} title={texts.title(name)} role="status">
      <Group gap="sm">
        <Text size="sm" flex="1 1 280px">
          {texts.text}
        </Text>
        <ButtonLink to="/w/$workspaceId/workflows/$workflowId" params={{ workspaceId, workflowId: id }}>
          {texts.open}
        </ButtonLink>
      </Group>
    </Alert>
  )
}
