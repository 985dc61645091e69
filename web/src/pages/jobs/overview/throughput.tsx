import { Center, Text } from '@mantine/core'
import { LinePlot } from '../../../charts/line-plot.tsx'
import { Panel } from '../../../components/panel.tsx'
import { jobTexts } from '../../../texts/jobs.ts'
import { duration } from '../../../texts/times.ts'
import type { LiveJob } from '../live-job.ts'
import { useLogDigest } from '../log/log-digest.ts'
import { useElapsedMs } from './elapsed.tsx'
import { processedOf, rateText } from './figures.ts'
import { averageOf, pointsOf } from './pace.ts'

const texts = jobTexts.throughput
const HEIGHT = 176
// The plot with its buttons; placeholders keep this height.
const WHOLE = HEIGHT + 34

export function Throughput({ live }: { live: LiveJob }) {
  const { details, samples, mode } = live
  const { data: digest, readAt } = useLogDigest(live)
  // Up to now, even if nothing ended recently.
  const elapsed = useElapsedMs(live) ?? 0
  const later = mode === 'ended' ? [] : samples.filter(({ at }) => at >= readAt)
  const points = pointsOf(digest?.seconds ?? [], later, elapsed)
  const peak = Math.max(0, ...points.map(({ y }) => y))
  const average = averageOf(processedOf(details.counts), elapsed)
  return (
    <Panel title={texts.title} description={texts.description}>
      {points.length > 2 ? (
        <LinePlot
          label={texts.label(rateText(average), rateText(peak))}
          points={points}
          xText={(ms) => (ms === 0 ? texts.start : duration(Math.max(1000, Math.round(ms / 1000) * 1000)))}
          yText={rateText}
          headers={[texts.at, texts.rate]}
          height={HEIGHT}
        />
      ) : (
        <Center h={WHOLE}>
          <Text c="dimmed">{mode === 'ended' ? texts.short : texts.none}</Text>
        </Center>
      )}
    </Panel>
  )
}
