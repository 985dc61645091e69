import { Text } from '@mantine/core'
import { DayBarChart, type Series } from '../../../charts/day-bar-chart.tsx'
import { TextLink } from '../../../components/links.tsx'
import { Panel } from '../../../components/panel.tsx'
import { useWorkspace } from '../../../service/session.ts'
import type { Workflow } from '../../../service/types.ts'
import { LOCALE } from '../../../texts/language.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import type { WorkflowRun } from '../queries.ts'
import { localTime } from '../schedule/schedules.ts'

const texts = workflowsTexts.overview.runs

const series: Series[] = [
  { key: 'new', label: texts.new, tone: 'accent' },
  { key: 'changed', label: texts.changed, tone: 'accent', outlined: true },
  { key: 'removed', label: texts.removed, tone: 'neutral' },
  { key: 'failed', label: texts.failed, tone: 'bad' },
]

const dates = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric' })

/** The documents of each run, oldest first. */
export function RunChart({ workflow, runs }: { workflow: Workflow; runs: WorkflowRun[] }) {
  const { id: workspaceId } = useWorkspace()
  const times = new Map(runs.map(({ job_id: id, created_at: at }) => [id, new Date(at)]))
  const timeOf = (id: string) => times.get(id) ?? new Date(0)
  return (
    <Panel
      title={texts.documents}
      description={runs.length > 0 ? texts.description(runs.length) : undefined}
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
      {runs.length === 0 ? (
        <Text c="dimmed">{texts.empty}</Text>
      ) : (
        <DayBarChart
          dayHeader={texts.run}
          dayText={(id) => localTime(timeOf(id))}
          axisText={(id) => dates.format(timeOf(id))}
          label={texts.documentsLabel(runs.length)}
          series={series}
          days={runs.toReversed().map(({ job_id: day, ...run }) => ({
            day,
            values: { new: run.new, changed: run.changed, removed: run.removed, failed: run.failed },
          }))}
        />
      )}
    </Panel>
  )
}
