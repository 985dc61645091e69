import { Stack, Text } from '@mantine/core'
import { IconRipple } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../../components/links.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { useApi, useWorkspace } from '../../session.ts'
import { homeTexts } from '../../texts/home.ts'
import { Card } from './card.tsx'
import classes from './home.module.css'
import { isSampleWiki } from './next-step.ts'

const texts = homeTexts.demo

type Source = { id: string; name: string; config: Record<string, unknown> }

export function DemoCard() {
  const api = useApi()
  const { id: workspaceId } = useWorkspace()
  const { data: sources } = useQuery(api.query<Source[]>('/sources/'))
  const sample = sources?.find(({ config }) => isSampleWiki(config.url))
  return (
    <Card icon={<IconRipple size={28} stroke={1.5} />} title={texts.title} text={texts.text}>
      {sample ? (
        <>
          <Text size="sm">{texts.here}</Text>
          <div className={classes.action}>
            <ButtonLink
              variant="default"
              to="/w/$workspaceId/connectors/$kind/$connectorId"
              params={{ workspaceId, kind: 'source', connectorId: sample.id }}
            >
              {texts.open(sample.name)}
            </ButtonLink>
          </div>
        </>
      ) : (
        <Stack gap="xs" className={classes.action}>
          <Snippet code={texts.command} what={texts.what} />
          <Text size="sm" c="dimmed">
            {texts.stop}
          </Text>
        </Stack>
      )}
    </Card>
  )
}
