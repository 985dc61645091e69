import { Text } from '@mantine/core'
import { Time } from '../../../components/relative-time.tsx'
import type { Workflow } from '../../../service/types.ts'
import { workflowsTexts as texts } from '../../../texts/workflows.ts'
import { localTime, scheduleText } from './schedules.ts'

/** In words, with the next local time. */
export function Schedule({ workflow }: { workflow: Workflow }) {
  const { schedule, schedule_timezone: timezone, next_run_at: next } = workflow
  const cron = schedule.crontab_entries[0]?.cron_expression
  if (!cron) {
    return (
      <Text size="sm" c="dimmed">
        {texts.form.never}
      </Text>
    )
  }
  return (
    <>
      <Text size="sm">{scheduleText(cron, timezone)}</Text>
      <Text size="xs" c="dimmed" component="div">
        {next ? <Time at={next} text={texts.nextRun(localTime(new Date(next)))} /> : texts.paused}
      </Text>
    </>
  )
}
