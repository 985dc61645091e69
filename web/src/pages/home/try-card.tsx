import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { FormErrors } from '../../components/form-errors.tsx'
import { TextLink } from '../../components/links.tsx'
import { errorText } from '../../components/notices.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { tryTexts as texts } from '../../texts/try.ts'
import { Card } from './card.tsx'
import classes from './home.module.css'
import { useTry } from './use-try.ts'

/** From an empty workspace to a search as two people, with one click. */
export function TryCard() {
  const { id: workspaceId, role } = useWorkspace()
  return (
    <Card icon={<IconPlayerPlay size={28} stroke={1.5} />} title={texts.title} text={texts.text}>
      <ol className={classes.plan}>
        {texts.plan.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <Stack gap="md" className={classes.action}>
        <TextLink size="sm" w="fit-content" to="/w/$workspaceId/sample" params={{ workspaceId }}>
          {texts.pages}
        </TextLink>
        {may(role, 'developer') ? (
          <TryButton />
        ) : (
          <Text size="sm" c="dimmed">
            {texts.needsDeveloper} {roleTexts[role].name}.
          </Text>
        )}
      </Stack>
    </Card>
  )
}

export function TryButton({ label = texts.start }: { label?: string }) {
  const start = useTry()
  return (
    <Stack gap="sm">
      <FormErrors failure={start.isError ? errorText(start.error) : undefined} />
      <Group gap="sm">
        <Button loading={start.isPending} onClick={() => start.mutate()}>
          {label}
        </Button>
        <Text size="sm" c="dimmed" aria-live="polite">
          {start.isPending ? texts.starting : ''}
        </Text>
      </Group>
    </Stack>
  )
}
