import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import { queueAges, workspaceAges } from '../../../jobs/queue/queue-ages.ts'
import { processMetrics, type Sample } from '../../../process-metrics.ts'
import type { Database, PoolUse } from '../../../store/database.ts'
import { permissionAges } from '../../../store/ledger/scopes.ts'
import { countUnwrittenPermissions } from '../../../store/ledger/unwritten-permissions.ts'
import { withTimeout } from './timeout.ts'

export type MetricsOptions = {
  /** Labels of `millrace_build_info`. */
  version: string
  role: string
  /** The connection pools of this process, by name. */
  pools(): Record<string, PoolUse>
  /** Whether metrics may name workspaces; others only count them. */
  names: boolean
}

/** The state of the whole service comes from the database, so every process shows the same; the rest is its own. */
export function createMetrics(options: MetricsOptions): {
  registry: Registry
  read(db: Database | null): Promise<string>
} {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const { name, help, type, samples } of processMetrics())
    registry.registerMetric({
      name,
      get: async () => ({ name, help, type, values: samples().map(toValue) }),
      // The registry calls nothing else.
    } as unknown as Metric)
  const gauges = createGauges(registry)
  gauges.build.set({ version: options.version, role: options.role }, 1)

  return {
    registry,
    async read(db) {
      setPools(gauges, options.pools())
      if (db) await setService(gauges, db, options)
      return registry.metrics()
    },
  }
}

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

function toValue({ name, labels, value }: Sample) {
  return { metricName: name, labels, value }
}

type Gauges = ReturnType<typeof createGauges>

function createGauges(registry: Registry) {
  const gauge = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge<L>({ name, help, labelNames, registers: [registry] })
  return {
    build: gauge('millrace_build_info', 'Release and role of this process', ['version', 'role']),
    connections: gauge(
      'millrace_database_connections',
      'Connections of this process to its database by pool; waiting counts requests without one',
      ['pool', 'state'],
    ),
    maxConnections: gauge('millrace_database_connections_max', 'Size of a connection pool', ['pool']),
    jobs: gauge('millrace_jobs', 'Jobs by status', ['status']),
    queueTasks: gauge('millrace_queue_tasks', 'Tasks that wait and could run now', ['queue']),
    queueAge: gauge('millrace_queue_age_seconds', 'How long the oldest waiting task has waited', ['queue']),
    workspaces: gauge('millrace_queue_workspaces', 'Workspaces with waiting tasks'),
    workspaceAge: gauge(
      'millrace_workspace_queue_age_seconds',
      'How long the oldest waiting task of a workspace has waited, for the 20 longest',
      ['workspace'],
    ),
    permissionAge: gauge(
      'millrace_permission_age_seconds',
      'Age of the oldest permissions in force, over all scopes',
    ),
    hiddenScopes: gauge(
      'millrace_hidden_scopes',
      'Scopes that search hides because their permissions are too old',
    ),
    unwritten: gauge(
      'millrace_unwritten_permissions',
      'Changed permissions that are not in the index yet: single documents (up to 100,000) and sets of many documents',
      ['kind'],
    ),
  }
}

function setPools({ connections, maxConnections }: Gauges, pools: Record<string, PoolUse>): void {
  for (const [pool, { max, used, idle, waiting }] of Object.entries(pools)) {
    maxConnections.set({ pool }, max)
    for (const [state, count] of Object.entries({ used, idle, waiting }))
      connections.set({ pool, state }, count)
  }
}

/** A figure that the database does not give in time is left out. */
async function setService(gauges: Gauges, db: Database, { names }: MetricsOptions): Promise<void> {
  const perScrape = [gauges.jobs, gauges.queueTasks, gauges.queueAge, gauges.workspaces]
  for (const gauge of [...perScrape, gauges.workspaceAge]) gauge.reset()
  for (const gauge of [gauges.permissionAge, gauges.hiddenScopes, gauges.unwritten]) gauge.reset()
  await Promise.all([
    ifAnswered(countJobs(db), (rows) => {
      for (const { status, count } of rows) gauges.jobs.set({ status }, Number(count))
    }),
    ifAnswered(queueAges(db), (queues) => {
      for (const { queue, waiting, oldestSeconds } of queues) {
        gauges.queueTasks.set({ queue }, waiting)
        gauges.queueAge.set({ queue }, oldestSeconds)
      }
    }),
    ifAnswered(workspaceAges(db), ({ workspaces, longest }) => {
      gauges.workspaces.set(workspaces)
      // Two workspaces may have one name: the longest wait counts.
      for (const { workspace, oldestSeconds } of names ? longest.toReversed() : [])
        gauges.workspaceAge.set({ workspace }, oldestSeconds)
    }),
    ifAnswered(permissionAges(db), ({ oldestSeconds, hiddenScopes }) => {
      gauges.permissionAge.set(oldestSeconds)
      gauges.hiddenScopes.set(hiddenScopes)
    }),
    ifAnswered(countUnwrittenPermissions(db), (counts) => {
      for (const [kind, count] of Object.entries(counts)) gauges.unwritten.set({ kind }, count)
    }),
  ])
}

async function ifAnswered<T>(question: Promise<T>, use: (answer: T) => void): Promise<void> {
  const answer = await withTimeout(question).catch(() => undefined)
  if (answer !== undefined) use(answer)
}

function countJobs(db: Database) {
  return db
    .selectFrom('jobs')
    .where('kind', '=', 'content')
    .select(['status', (eb) => eb.fn.countAll<string>().as('count')])
    .groupBy('status')
    .execute()
}
