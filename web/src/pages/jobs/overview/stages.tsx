import { Group, Progress, Stack, Text } from '@mantine/core'
import { Panel } from '../../../components/panel.tsx'
import { jobTexts } from '../../../texts/jobs.ts'
import { duration } from '../../../texts/times.ts'
import type { LiveJob } from '../live-job.ts'
import { useElapsedMs } from './elapsed.tsx'
import { rateText } from './job-numbers.ts'
import { StepTimes } from './step-times.tsx'
import { Throughput } from './throughput.tsx'

const texts = jobTexts.steps

/** The steps of a running job with their progress; after its end, one line with the time of each. */
export function Stages({ live }: { live: LiveJob }) {
  const { details, mode, progress } = live
  const elapsed = useElapsedMs(live)
  if (mode === 'ended') return <StepTimes details={details} />
  const rate = progress?.rates.documents_per_second
  const left = progress?.eta_seconds
  const steps = stepsOf(live)
  if (steps.length === 0) return null
  return (
    <Panel title={texts.title}>
      <Stack gap="md">
        <Group gap="4px 24px" mih={22} className="figures">
          {rate ? <span>{texts.rate(rateText(rate))}</span> : null}
          {left ? <span>{texts.left(duration(left * 1000))}</span> : null}
        </Group>
        <Stack component="ul" gap="xs" m={0} p={0} aria-label={texts.list} style={{ listStyle: 'none' }}>
          {steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names of steps may repeat; their order is fixed.
            <Step key={index} {...step} />
          ))}
        </Stack>
        <Throughput rates={live.rates} elapsedMs={elapsed ?? 0} />
      </Stack>
    </Panel>
  )
}

/** `total` is null while a listing runs. */
type StepProps = { name: string; done: number; total: number | null; failed?: number }

/** Steps that no document has reached are left out. */
function stepsOf({ details, progress }: LiveJob): StepProps[] {
  const overall = (progress?.stages ?? []).map(({ name, done, total }) => {
    return { name: texts.overall[name] ?? name, done, total }
  })
  const nodes = details.node_stats.map(({ node_name: name, success, failure, ready, in_progress }) => {
    const done = success + failure
    return { name, done, total: ready + in_progress + done, failed: failure }
  })
  return [...overall, ...nodes].filter(({ done, total }) => done > 0 || (total ?? 0) > 0)
}

function Step({ name, done, total, failed = 0 }: StepProps) {
  const share = total ? (100 * done) / total : 0
  return (
    <Group component="li" gap="sm" wrap="nowrap" className="figures">
      <Text size="sm" w={{ base: 80, xs: 128 }} truncate>
        {name}
      </Text>
      <Progress
        value={share}
        aria-label={texts.bar(name, done, total ?? done)}
        flex="1 1 40px"
        transitionDuration={0}
      />
      <Text size="sm" ta="right" miw={{ base: 80, xs: 128 }} c={failed > 0 ? 'var(--mr-bad)' : undefined}>
        {total === null ? texts.soFar(done) : texts.of(done, total)}
        {failed > 0 ? `, ${texts.failed(failed)}` : null}
      </Text>
    </Group>
  )
}
