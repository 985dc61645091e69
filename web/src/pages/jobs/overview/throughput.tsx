import { DayBarChart } from '../../../charts/day-bar-chart.tsx'
import { jobTexts } from '../../../texts/jobs.ts'
import { duration } from '../../../texts/times.ts'
import type { Rate } from '../live-job.ts'
import { rateText } from './job-numbers.ts'

const texts = jobTexts.steps
/** A shorter run says nothing by its shape. */
const MIN_MS = 30_000

export function Throughput({ rates, elapsedMs }: { rates: Rate[]; elapsedMs: number }) {
  if (elapsedMs < MIN_MS || rates.length < 2) return null
  return (
    <DayBarChart
      label={texts.chart}
      dayHeader={texts.at}
      series={[{ key: 'documents', label: texts.documents, tone: 'accent' }]}
      days={rates.map(({ at, documents }) => ({ day: String(at), values: { documents } }))}
      dayText={(at) => duration(Number(at))}
      valueText={rateText}
      height={160}
    />
  )
}
