import { Text } from '@mantine/core'
import type { Workflow } from '../../../service/types.ts'
import { workflowsTexts as texts } from '../../../texts/workflows.ts'
import { localTime, nextRun, scheduleText } from './schedules.ts'

/** In words, with the next local time. */
export function Schedule({ workflow: { schedule, status } }: { workflow: Workflow }) {
  const cron = schedule.crontab_entries[0]?.cron_expression
  if (!cron) {
    return (
      <Text size="sm" c="dimmed">
        {texts.form.never}
      </Text>
    )
  }
  const next = status === 'active' ? nextRun(cron) : undefined
  return (
    <>
      <Text size="sm">{scheduleText(cron)}</Text>
      <Text size="xs" c="dimmed">
        {next ? texts.nextRun(localTime(next)) : texts.paused}
      </Text>
    </>
  )
}
