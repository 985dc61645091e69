import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { Operations } from '../../../../../packages/millrace-client/src/schema.ts'
import { Time } from '../../../components/relative-time.tsx'
import { ApiError } from '../../../service/errors.ts'
import { useApi } from '../../../service/session.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { localTime } from './schedules.ts'

const texts = workflowsTexts.schedule
const DEBOUNCE_MS = 300

type Explained = Operations['GET /api/v1/schedules/next-runs']['response']

/** The schedule as a sentence, and when it runs next in its zone. */
export function NextRuns({ schedule, timezone }: { schedule: string; timezone: string }) {
  const [asked] = useDebouncedValue(`${schedule}|${timezone}`, DEBOUNCE_MS)
  const [askedSchedule = '', askedZone = ''] = asked.split('|')
  const explained = useQuery({
    ...useApi().query<Explained>('/schedules/next-runs', {
      schedule: askedSchedule,
      schedule_timezone: askedZone,
    }),
    placeholderData: (before) => before,
  })
  if (explained.error)
    return (
      <Text size="sm" c="var(--mr-bad)" role="status">
        {messageOf(explained.error)}
      </Text>
    )
  const { data } = explained
  return (
    <div role="status">
      <Text size="sm">{data ? `${data.text}.` : ' '}</Text>
      <Text size="sm" c="dimmed" component="div">
        {data ? texts.nextRuns : ' '}
        {data?.next_runs.map((at, index) => (
          <span key={at}>
            {index > 0 ? '; ' : ' '}
            <Time at={at} text={localTime(new Date(at), data.schedule_timezone)} />
          </span>
        ))}
      </Text>
    </div>
  )
}

function messageOf(error: Error): string {
  return (error instanceof ApiError ? Object.values(error.fields)[0] : undefined) ?? error.message
}
