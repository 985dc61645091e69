import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { workflowsTexts } from '../../../texts/workflows.ts'

const texts = workflowsTexts.yaml.pending

type Props = { problems: number; onEdit: () => void; onDiscard: () => void }

/** Other views cannot show text with errors, so a person chooses what happens to it. */
export function PendingYaml({ problems, onEdit, onDiscard }: Props) {
  return (
    <Alert
      variant="outline"
      color="var(--mr-warning)"
      icon={<IconAlertTriangle size={18} />}
      title={texts.title(problems)}
    >
      <Text size="sm">{texts.text}</Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={onEdit}>
          {texts.edit}
        </Button>
        <Button size="xs" variant="default" onClick={onDiscard}>
          {texts.discard}
        </Button>
      </Group>
    </Alert>
  )
}
