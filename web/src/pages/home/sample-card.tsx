import { Button, Code, Stack, Text } from '@mantine/core'
import { IconRipple } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { ButtonLink } from '../../components/links.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { homeTexts } from '../../texts/home.ts'
import { roleTexts } from '../../texts/roles.ts'
import { startCheck } from '../connectors/queries.ts'
import type { Connector } from '../connectors/types.ts'
import { Card } from './card.tsx'
import classes from './home.module.css'
import { useSample } from './sample.ts'

const texts = homeTexts.sample

/** Connects the sample with one click. */
export function SampleCard({ reason }: { reason: string | null | undefined }) {
  const { data: sample } = useSample()
  return (
    <Card
      icon={<IconRipple size={28} stroke={1.5} />}
      title={texts.title}
      text={sample === null ? texts.off : texts.text}
    >
      <Stack gap="sm" className={classes.action}>
        {reason ? (
          <Text size="sm" c="dimmed">
            {reason}
          </Text>
        ) : null}
        <Text size="sm" c="dimmed">
          {texts.demo} <Code>{texts.command}</Code>
        </Text>
        {sample ? <Action isConnected={sample.source_id !== null} /> : null}
      </Stack>
    </Card>
  )
}

function Action({ isConnected }: { isConnected: boolean }) {
  const { id: workspaceId, role } = useWorkspace()
  if (isConnected) {
    return (
      <ButtonLink variant="default" to="/w/$workspaceId/sample" params={{ workspaceId }}>
        {texts.open}
      </ButtonLink>
    )
  }
  if (!may(role, 'developer')) {
    return (
      <Text size="sm" c="dimmed">
        {texts.needsDeveloper} {roleTexts[role].name}.
      </Text>
    )
  }
  return <TrySample />
}

/** Creates the source, tests it and opens its page. */
export function TrySample() {
  const api = useApi()
  const { id: workspaceId } = useWorkspace()
  const navigate = useNavigate()
  const connect = useAction(
    async () => {
      const source = await api.post<Connector>('/samples', {})
      await startCheck(api, 'source', source.id)
    },
    {
      refreshes: ['/samples', '/sources', '/overview'],
      notice: texts.connected,
      onSuccess: () => navigate({ to: '/w/$workspaceId/sample', params: { workspaceId } }),
    },
  )
  return (
    <Button loading={connect.isPending} onClick={() => connect.mutate()} w="fit-content">
      {texts.try}
    </Button>
  )
}
