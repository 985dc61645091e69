import { Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ButtonLink } from '../../../components/links.tsx'
import { Panel } from '../../../components/panel.tsx'
import { useWorkspace } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import { sentence, warningWords } from '../error-advice.ts'
import type { LiveJob } from '../live-job.ts'
import { SubjectLink } from './subject-link.tsx'

const { warnings: texts, advice } = jobTexts

/** The warnings of the run, each with advice and a link to what it is about. */
export function Warnings({ live: { job, details } }: { live: LiveJob }) {
  const { id: workspaceId } = useWorkspace()
  const { counts } = details
  // HeldBack shows these until they are approved.
  const warnings = details.warnings.filter(({ code }) => code !== 'deletions_held_back')
  if (warnings.length === 0 && counts.failed === 0) return null
  return (
    <Panel title={texts.title}>
      <Stack component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {counts.failed > 0 ? (
          <Item message={texts.failed(counts.failed)}>
            <ButtonLink
              variant="default"
              size="xs"
              to="/w/$workspaceId/jobs/$jobId"
              params={{ workspaceId, jobId: job.id }}
              search={{ tab: 'documents', state: 'failed' }}
            >
              {texts.open.failed}
            </ButtonLink>
          </Item>
        ) : null}
        {warnings.map(({ code, message, subject }) => (
          <Item
            key={`${code} ${message}`}
            message={warningWords(code, message)}
            fix={Object.hasOwn(advice, code) ? advice[code] : undefined}
          >
            <SubjectLink subject={subject} jobId={job.id} />
          </Item>
        ))}
      </Stack>
    </Panel>
  )
}

type ItemProps = { message: string; fix?: string | undefined; children?: ReactNode }

function Item({ message, fix, children }: ItemProps) {
  return (
    <Group component="li" gap="sm" align="flex-start" wrap="nowrap">
      <IconAlertTriangle size={18} aria-hidden="true" color="var(--mr-warning)" style={{ flex: 'none' }} />
      <Stack gap={4} miw={0}>
        <Text style={{ overflowWrap: 'anywhere' }}>{sentence(message)}</Text>
        {fix ? (
          <Text size="sm" c="dimmed">
            <Text span inherit fw={600}>
              {texts.fix}
            </Text>{' '}
            {fix}
          </Text>
        ) : null}
        {children ? <Group gap="xs">{children}</Group> : null}
      </Stack>
    </Group>
  )
}
