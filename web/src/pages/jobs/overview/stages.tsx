import { Group, Progress, Stack, Table, Text } from '@mantine/core'
import { Panel } from '../../../components/panel.tsx'
import { jobTexts } from '../../../texts/jobs.ts'
import { count, duration } from '../../../texts/times.ts'
import type { LiveJob } from '../live-job.ts'
import type { JobDetails } from '../types.ts'
import { useElapsedMs } from './elapsed.tsx'
import { processedOf, rateText } from './job-numbers.ts'
import classes from './stages.module.css'
import { averageRate } from './throughput-points.ts'

const { stages: texts, rates } = jobTexts

type Stat = JobDetails['node_stats'][number]

/** Waiting, running and finished documents, for every node. */
export function Stages({ live }: { live: LiveJob }) {
  const { details, mode } = live
  return (
    <Panel title={texts.title}>
      <Stack gap="md">
        <Rates live={live} />
        {mode === 'ended' ? null : <Steps live={live} />}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard. */}
        <section className={classes.scroll} aria-label={texts.list} tabIndex={0}>
          <Table className={classes.table} aria-label={texts.list}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.stage}</Table.Th>
                <Table.Th className={classes.bar}>{texts.progress}</Table.Th>
                {[texts.ready, texts.working, texts.done, texts.failed].map((header) => (
                  <Table.Th key={header} ta="right">
                    {header}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {details.node_stats.map((stat, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: node names may repeat; their order is fixed.
                <Row key={index} stat={stat} />
              ))}
            </Table.Tbody>
          </Table>
        </section>
      </Stack>
    </Panel>
  )
}

function Row({ stat }: { stat: Stat }) {
  const { node_name: name, node_subtype: subtype, ready, in_progress: working, success, failure } = stat
  const all = ready + working + success + failure
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {name}{' '}
        <Text span size="sm" c="dimmed" className="mono" visibleFrom="xs">
          {subtype}
        </Text>
      </Table.Th>
      <Table.Td className={classes.bar}>
        <Bar label={texts.bar(name, success + failure, all)} done={success} failed={failure} all={all} />
      </Table.Td>
      {[ready, working, success].map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: three fixed columns.
        <Table.Td key={index} ta="right" c={value === 0 ? 'dimmed' : undefined}>
          {count(value)}
        </Table.Td>
      ))}
      <Table.Td
        ta="right"
        c={failure === 0 ? 'dimmed' : 'var(--mr-bad)'}
        fw={failure === 0 ? undefined : 600}
      >
        {count(failure)}
      </Table.Td>
    </Table.Tr>
  )
}

type BarProps = { label: string; done: number; failed: number; all: number }

function Bar({ label, done, failed, all }: BarProps) {
  const share = (part: number) => (all === 0 ? 0 : (part / all) * 100)
  return (
    <Progress.Root size={8} bg="var(--mr-neutral-background)" transitionDuration={0}>
      <Progress.Section value={share(done)} color="var(--mr-accent)" aria-label={label} />
      {failed > 0 ? <Progress.Section value={share(failed)} color="var(--mr-bad)" withAria={false} /> : null}
    </Progress.Root>
  )
}

function Steps({ live: { progress } }: { live: LiveJob }) {
  return (
    <Stack gap="xs">
      {(progress?.stages ?? []).map(({ name, done, total }) => (
        <Group key={name} gap="sm" wrap="nowrap" className="figures">
          <Text size="sm" w={96}>
            {texts.steps[name] ?? name}
          </Text>
          <div style={{ flex: 1 }}>
            <Bar
              label={texts.bar(texts.steps[name] ?? name, done, total ?? done)}
              done={done}
              failed={0}
              all={total ?? 0}
            />
          </div>
          <Text size="sm" ta="right" miw={112}>
            {total === null ? texts.soFar(done) : texts.of(done, total)}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}

function Rates({ live }: { live: LiveJob }) {
  const { progress, mode, details } = live
  const elapsed = useElapsedMs(live)
  const documents =
    mode === 'ended' || !progress
      ? averageRate(processedOf(details.counts), elapsed ?? 0)
      : progress.rates.documents_per_second
  const eta = progress?.eta_seconds
  return (
    <dl className={classes.rates}>
      <NamedValue
        name={mode === 'ended' ? rates.average : rates.rate}
        value={elapsed === null ? rates.unknown : rateText(documents)}
      />
      {progress ? (
        <NamedValue name={rates.elements} value={rateText(progress.rates.elements_per_second)} />
      ) : null}
      <NamedValue name={rates.elapsed} value={elapsed === null ? rates.unknown : duration(elapsed)} />
      {mode === 'ended' ? null : (
        <NamedValue
          name={rates.estimate}
          value={typeof eta === 'number' ? duration(eta * 1000) : rates.unknown}
        />
      )}
    </dl>
  )
}

function NamedValue({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="figures">{value}</dd>
    </div>
  )
}
