import { Center, Text } from '@mantine/core'
import { LineChart } from '../../../charts/line-chart.tsx'
import { Panel } from '../../../components/panel.tsx'
import { jobTexts } from '../../../texts/jobs.ts'
import { duration } from '../../../texts/times.ts'
import type { LiveJob } from '../live-job.ts'
import { useLogSummary } from '../log/use-log-summary.ts'
import { useElapsedMs } from './elapsed.tsx'
import { processedOf, rateText } from './job-numbers.ts'
import { averageRate, throughputPoints } from './throughput-points.ts'

const texts = jobTexts.throughput
const HEIGHT = 176
// The chart with its buttons; placeholders have the same height.
const TOTAL_HEIGHT = HEIGHT + 34

export function Throughput({ live }: { live: LiveJob }) {
  const { details, samples, mode } = live
  const { data: log, coveredMs } = useLogSummary(live)
  // Up to now, even if no document ended recently.
  const elapsed = useElapsedMs(live) ?? 0
  const later = mode === 'ended' ? [] : samples.filter(({ at }) => at >= coveredMs)
  const points = throughputPoints(log?.seconds ?? [], later, elapsed)
  const peak = Math.max(0, ...points.map(({ y }) => y))
  const average = averageRate(processedOf(details.counts), elapsed)
  return (
    <Panel title={texts.title} description={texts.description}>
      {points.length > 2 ? (
        <LineChart
          label={texts.label(rateText(average), rateText(peak))}
          points={points}
          xText={(ms) => (ms === 0 ? texts.start : duration(Math.max(1000, Math.round(ms / 1000) * 1000)))}
          yText={rateText}
          headers={[texts.at, texts.rate]}
          height={HEIGHT}
        />
      ) : (
        <Center h={TOTAL_HEIGHT}>
          <Text c="dimmed">{mode === 'ended' ? texts.short : texts.none}</Text>
        </Center>
      )}
    </Panel>
  )
}
