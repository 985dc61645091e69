import { Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Panel } from '../../../components/panel.tsx'
import { jobTexts } from '../../../texts/jobs.ts'
import { sentence } from '../error-advice.ts'
import type { LiveJob } from '../live-job.ts'
import type { Warning } from '../types.ts'
import { DocumentsLink, SubjectLink } from './subject-link.tsx'
import classes from './warnings.module.css'

const { warnings: texts, advice } = jobTexts

/** The job's warnings, each with advice and a link to what it is about. */
export function Warnings({ live: { job, details } }: { live: LiveJob }) {
  const { message, counts } = details
  // HeldBack shows these with an approve button.
  const hasHeldBack = job.held_back > 0
  const warnings = details.warnings.filter(({ code }) => !(hasHeldBack && code === 'deletions_held_back'))
  // The message of a failed job is its reason; otherwise it sums up the warnings.
  const sumsUp = details.processing_status !== 'FAILED' && details.warnings.length + counts.failed > 0
  const onlyMessage = message && !sumsUp
  return (
    <Panel title={texts.title}>
      {warnings.length === 0 && !onlyMessage && counts.failed === 0 ? (
        <Text c="dimmed">{texts.none}</Text>
      ) : null}
      <ul className={classes.list}>
        {onlyMessage ? <Item message={message} /> : null}
        {counts.failed > 0 ? (
          <Item message={texts.failed(counts.failed)}>
            <DocumentsLink jobId={job.id} search={{ state: 'failed' }}>
              {texts.open.failed}
            </DocumentsLink>
          </Item>
        ) : null}
        {warnings.map((warning) => (
          <Item
            key={`${warning.code} ${warning.message}`}
            message={warning.message}
            // Held-back removals that do not wait any more were approved.
            code={warning.code === 'deletions_held_back' ? '' : warning.code}
          >
            <SubjectLink warning={warning} jobId={job.id} />
          </Item>
        ))}
      </ul>
    </Panel>
  )
}

type ItemProps = Pick<Warning, 'message'> & { code?: string; children?: ReactNode }

function Item({ code = '', message, children }: ItemProps) {
  const fix = Object.hasOwn(advice, code) ? advice[code] : undefined
  return (
    <li className={classes.item}>
      <IconAlertTriangle size={18} aria-hidden="true" className={classes.icon} />
      <Stack gap={4}>
        <Text className={classes.message}>{sentence(message)}</Text>
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
    </li>
  )
}
