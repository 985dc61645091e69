import { Stack, Text, Title } from '@mantine/core'
import { DayBarChart, type Series } from '../../../charts/day-bar-chart.tsx'
import { TextLink } from '../../../components/links.tsx'
import { Panel } from '../../../components/panel.tsx'
import { useWorkspace } from '../../../service/session.ts'
import type { Workflow } from '../../../service/types.ts'
import { LOCALE } from '../../../texts/language.ts'
import { duration } from '../../../texts/times.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import type { WorkflowRun } from '../queries.ts'
import { localTime } from '../schedule/schedules.ts'

const texts = workflowsTexts.overview.runs

const documentSeries: Series[] = [
  { key: 'new', label: texts.new, tone: 'accent' },
  { key: 'changed', label: texts.changed, tone: 'accent', outlined: true },
  { key: 'removed', label: texts.removed, tone: 'neutral' },
  { key: 'failed', label: texts.failed, tone: 'bad' },
]
const durationSeries: Series[] = [{ key: 'seconds', label: texts.duration, tone: 'neutral' }]

const dates = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric' })

/** Documents and duration of each run, oldest first. */
export function RunCharts({ workflow, runs }: { workflow: Workflow; runs: WorkflowRun[] }) {
  const { id: workspaceId } = useWorkspace()
  if (runs.length === 0)
    return (
      <Panel title={texts.title}>
        <Text c="dimmed">{texts.empty}</Text>
      </Panel>
    )
  const oldestFirst = runs.toReversed()
  const times = new Map(runs.map(({ job_id: id, created_at: at }) => [id, new Date(at)]))
  const timeOf = (id: string) => times.get(id) ?? new Date(0)
  const chart = {
    dayHeader: texts.run,
    dayText: (id: string) => localTime(timeOf(id)),
    axisText: (id: string) => dates.format(timeOf(id)),
  }
  return (
    <Panel
      title={texts.title}
      description={texts.description(runs.length)}
      actions={
        <TextLink
          size="sm"
          to="/w/$workspaceId/jobs"
          params={{ workspaceId }}
          search={{ workflow: workflow.id }}
        >
          {texts.all}
        </TextLink>
      }
    >
      <Stack gap="lg">
        <div>
          <Title order={3} size="h4" mb="xs">
            {texts.documents}
          </Title>
          <DayBarChart
            {...chart}
            label={texts.documentsLabel(runs.length)}
            series={documentSeries}
            days={oldestFirst.map(({ job_id: day, ...run }) => ({
              day,
              values: { new: run.new, changed: run.changed, removed: run.removed, failed: run.failed },
            }))}
          />
        </div>
        <div>
          <Title order={3} size="h4" mb="xs">
            {texts.duration}
          </Title>
          <DayBarChart
            {...chart}
            label={texts.durationLabel(runs.length)}
            series={durationSeries}
            valueText={(seconds) => (seconds === 0 ? texts.noTime : duration(seconds * 1000))}
            height={120}
            days={oldestFirst.map(({ job_id: day, seconds }) => ({ day, values: { seconds: seconds ?? 0 } }))}
          />
        </div>
      </Stack>
    </Panel>
  )
}
