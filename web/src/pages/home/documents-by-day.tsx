import { DayBarChart, type Series } from '../../charts/day-bar-chart.tsx'
import { Panel } from '../../components/panel.tsx'
import { homeTexts } from '../../texts/home.ts'
import { LOCALE } from '../../texts/language.ts'
import type { Overview } from './types.ts'

const texts = homeTexts.byDay

const series: Series[] = [
  { key: 'new', label: texts.new, tone: 'accent' },
  { key: 'changed', label: texts.changed, tone: 'accent', outlined: true },
  { key: 'removed', label: texts.removed, tone: 'neutral' },
  { key: 'failed', label: texts.failed, tone: 'bad' },
]

const dates = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' })

export function DocumentsByDay({ overview: { by_day: days } }: { overview: Overview }) {
  const total = days.reduce((sum, day) => sum + day.new + day.changed + day.removed + day.failed, 0)
  return (
    <Panel title={texts.title} description={texts.description}>
      <DayBarChart
        label={texts.label(total)}
        dayHeader={texts.day}
        series={series}
        days={days.map(({ day, ...values }) => ({ day, values }))}
        dayText={(day) => dates.format(new Date(`${day}T00:00:00Z`))}
      />
    </Panel>
  )
}
