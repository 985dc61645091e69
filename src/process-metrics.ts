/**
 * What this process has done since its start, for `/metrics`. Has no dependency, because connectors and the command line
 * use it too.
 */
type ProcessMetric = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'histogram'
  samples(): Sample[]
}
export type Sample = { name: string; labels: Record<string, string>; value: number }

/** The values of each label. All combinations start at zero, so that a rate sees the first event. */
type LabelValues = Record<string, readonly string[]>
type Labels<V extends LabelValues> = { [K in keyof V]: V[K][number] }

export type Counter<V extends LabelValues> = ProcessMetric & { add(labels: Labels<V>, by?: number): void }
type Histogram<V extends LabelValues> = ProcessMetric & {
  observe(labels: Labels<V>, seconds: number): void
}

const registered: ProcessMetric[] = []

export function processMetrics(): readonly ProcessMetric[] {
  return registered
}

const SOURCE_STATUSES = ['2xx', '3xx', '4xx', '429', '5xx', 'none'] as const
export type SourceStatus = (typeof SOURCE_STATUSES)[number]

export const sourceRequests = counter({
  name: 'millrace_source_requests_total',
  help: 'Requests to sources by status; none is a request without a response',
  labels: { status: SOURCE_STATUSES },
})
export const sourceWaits = counter({
  name: 'millrace_source_wait_seconds_total',
  help: 'Seconds that requests waited: for a rate limit (burst, quota), an outage (down), a retry or a free slot',
  labels: { reason: ['burst', 'quota', 'down', 'retry', 'slot'] },
})
export const refusedWrites = counter({
  name: 'millrace_destination_refusals_total',
  help: 'Write requests that a destination refused in whole or in part; rejected counts elements that it never takes',
  labels: { reason: ['overloaded', 'too_large', 'unreachable', 'rejected'] },
})
export const embeddedTexts = counter({
  name: 'millrace_embedded_texts_total',
  help: 'Texts with vectors, from the model or from the cache',
  labels: { from: ['model', 'cache'] },
})

const STAGES = ['list', 'read', 'partition', 'enrich', 'chunk', 'embed', 'write', 'permissions'] as const
export type MeasuredStage = (typeof STAGES)[number]

// Reading a document takes milliseconds, listing a large source an hour.
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300, 1800]

export const stageDurations = histogram({
  name: 'millrace_stage_duration_seconds',
  help: 'Duration of a stage: per listing; read, partition, enrich and chunk per document; embed, write and permissions per batch',
  labels: { stage: STAGES },
})

type MetricOptions<V extends LabelValues> = { name: string; help: string; labels: V }

export function counter<const V extends LabelValues>({ name, help, labels }: MetricOptions<V>): Counter<V> {
  const series = seriesOf(labels, () => ({ count: 0 }))
  return register({
    name,
    help,
    type: 'counter',
    add: (at, by = 1) => {
      series.find(at).count += by
    },
    samples: () => series.all().map(([at, { count }]) => ({ name, labels: at, value: count })),
  })
}

export function histogram<const V extends LabelValues>(options: MetricOptions<V>): Histogram<V> {
  const { name, help, labels } = options
  const series = seriesOf(labels, () => ({ atMost: BUCKETS.map(() => 0), count: 0, sum: 0 }))
  return register({
    name,
    help,
    type: 'histogram',
    observe: (at, seconds) => {
      const found = series.find(at)
      found.count++
      found.sum += seconds
      found.atMost = found.atMost.map((each, index) => (seconds <= (BUCKETS[index] ?? 0) ? each + 1 : each))
    },
    samples: () =>
      series.all().flatMap(([at, { atMost, count, sum }]) => [
        ...[...atMost, count].map((value, index) => ({
          name: `${name}_bucket`,
          labels: { ...at, le: String(BUCKETS[index] ?? '+Inf') },
          value,
        })),
        { name: `${name}_sum`, labels: at, value: sum },
        { name: `${name}_count`, labels: at, value: count },
      ]),
  })
}

function register<T extends ProcessMetric>(metric: T): T {
  registered.push(metric)
  return metric
}

function seriesOf<T>(labels: LabelValues, empty: () => T) {
  const combinations = Object.entries(labels).reduce<Record<string, string>[]>(
    (all, [label, values]) => all.flatMap((each) => values.map((value) => ({ ...each, [label]: value }))),
    [{}],
  )
  const names = Object.keys(labels)
  const keyOf = (at: Record<string, string>) => names.map((label) => at[label]).join(' ')
  const series = new Map(combinations.map((at) => [keyOf(at), [at, empty()] as const]))
  return {
    all: () => [...series.values()],
    find(at: Record<string, string>): T {
      const found = series.get(keyOf(at))
      if (!found) throw new Error(`a metric has no label ${keyOf(at)}`)
      return found[1]
    },
  }
}
