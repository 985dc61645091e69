import { Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Panel } from '../../../components/panel.tsx'
import { jobTexts } from '../../../texts/jobs.ts'
import { sentence } from '../error-advice.ts'
import type { LiveJob } from '../live-job.ts'
import type { Warning } from '../types.ts'
import classes from './warnings.module.css'

const { warnings: texts, advice } = jobTexts

/** The job's warnings, each with advice. */
export function Warnings({ live: { job, details } }: { live: LiveJob }) {
  const { message } = details
  // HeldBack shows these with an approve button.
  const hasHeldBack = job.held_back > 0
  const warnings = details.warnings.filter(({ code }) => !(hasHeldBack && code === 'deletions_held_back'))
  // A failed job has only a message; otherwise the message sums up the warnings.
  const onlyMessage = message && details.warnings.length === 0
  return (
    <Panel title={texts.title}>
      {warnings.length === 0 && !onlyMessage ? <Text c="dimmed">{texts.none}</Text> : null}
      <ul className={classes.list}>
        {onlyMessage ? <Item warning={{ code: '', message }} /> : null}
        {warnings.map((warning) => (
          <Item key={`${warning.code} ${warning.message}`} warning={warning} />
        ))}
      </ul>
    </Panel>
  )
}

function Item({ warning: { code, message } }: { warning: Warning }) {
  const todo = Object.hasOwn(advice, code) ? advice[code] : undefined
  return (
    <li className={classes.item}>
      <IconAlertTriangle size={18} aria-hidden="true" className={classes.icon} />
      <Stack gap={4}>
        <Text className={classes.message}>{sentence(message)}</Text>
        {todo ? (
          <Text size="sm" c="dimmed">
            <Text span inherit fw={600}>
              {texts.todo}
            </Text>{' '}
            {todo}
          </Text>
        ) : null}
      </Stack>
    </li>
  )
}
