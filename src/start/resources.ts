import type { Logger } from 'pino'
import { createEgress } from '../connectors/egress/guard.ts'
import { trustedFetch } from '../connectors/egress/trusted-fetch.ts'
import { withoutSamples } from '../connectors/registry.ts'
import type { Environment } from '../environment.ts'
import { connections } from '../jobs/connections.ts'
import { databaseMeter } from '../jobs/model-meter.ts'
import { startEngine, type TaskQueue } from '../jobs/queue/engine.ts'
import type { Resources } from '../jobs/resources.ts'
import { openRuns } from '../jobs/runs.ts'
import { repairSandboxes } from '../jobs/sandbox.ts'
import { originsOf, secretsOf } from '../pipeline/models/endpoints.ts'
import { networkConfinement } from '../pipeline/partition/reading/network.ts'
import { createRunnerFactory } from '../pipeline/runner-factory.ts'
import { budgetWarning, connectionBudget } from '../store/connection-budget.ts'
import type { Database } from '../store/database.ts'
import { findVectors, putVectors } from '../store/ledger/embeddings.ts'
import { findAnswer, putAnswer } from '../store/ledger/model-answers.ts'
import { addressOf } from '../store/sandbox/sign-in.ts'
import type { StartContext } from './context.ts'
import type { Store } from './store.ts'

/** What the API and the worker share. */
export type Parts = {
  resources: Resources
  engine: TaskQueue
  connections: ReturnType<typeof connections>
  runs: ReturnType<typeof openRuns>
}

export async function openParts(
  environment: Environment,
  store: Store,
  context: StartContext,
): Promise<Parts> {
  const { closers } = context
  const resources = openResources(environment, store, context)
  if (environment.sandbox) await repairSandboxes(resources)
  const engine = await openEngine(environment, store, context)
  const connected = connections(resources)
  const runs = openRuns(resources, connected)
  // Closed in reverse order: tasks use the runs.
  closers.push(() => runs.close())
  closers.push(() => engine.stop())
  await logConnections(store.db, { ...context, isEmbedded: environment.databaseUrl === null })
  return { resources, engine, connections: connected, runs }
}

function openResources(
  environment: Environment,
  { db, vault, databaseUrl }: Store,
  { log, secrets, closers, registry }: StartContext,
): Resources {
  const { proxy } = environment.network
  const egress = createEgress({
    allowedHosts: environment.allowedHosts,
    proxy,
    sandbox: environment.sandbox ? { ...addressOf(databaseUrl), maxMb: environment.sandboxMb } : null,
  })
  closers.push(() => egress.close())
  for (const key of secretsOf(environment.models)) secrets.add(key)
  const models = trustedFetch(originsOf(environment.models), { proxy })
  closers.push(() => models.close())
  const runners = createRunnerFactory({
    cache: { get: (keys) => findVectors(db, keys), put: (vectors) => putVectors(db, vectors) },
    models: {
      endpoints: environment.models,
      allowed: environment.allowedModels,
      fetch: models.fetch,
      answers: { get: (key) => findAnswer(db, key), put: (key, answer) => putAnswer(db, key, answer) },
    },
  })
  closers.push(() => runners.close())
  logNetworkConfinement(log)
  return {
    db,
    vault,
    egress,
    runners,
    log,
    registry: environment.sampleSource ? registry : withoutSamples(registry),
    hide: secrets.hide,
    meter: (workspaceId) => databaseMeter(db, { workspaceId, limit: environment.modelTokensPerDay }),
    uploadQuotas: environment.uploadQuotas,
  }
}

async function openEngine(
  environment: Environment,
  { db, databaseUrl, engineConnections }: Store,
  { log, pools, onEngine }: StartContext,
): Promise<TaskQueue> {
  const engine = await startEngine(databaseUrl, {
    db,
    log,
    connections: engineConnections,
    contentTasks: environment.workerConcurrency,
    drainMs: environment.drainSeconds * 1000,
  })
  onEngine(engine)
  pools.engine = engine.poolUse
  return engine
}

function logNetworkConfinement(log: Logger): void {
  const { kind } = networkConfinement()
  if (kind === 'none') log.warn({ confinement: kind }, 'processes that read files can use the network')
  else log.info({ confinement: kind }, 'processes that read files have no network')
}

type PoolContext = Pick<StartContext, 'pools' | 'log'> & { isEmbedded: boolean }

/** Shows before an outage that several processes together exceed the server's limit. */
async function logConnections(db: Database, { pools, log, isEmbedded }: PoolContext): Promise<void> {
  const sizes = Object.fromEntries(Object.entries(pools).map(([name, use]) => [name, use().max]))
  // One more connection listens for notifications.
  const budget = await connectionBudget(db, { ...sizes, notifications: 1 })
  log.info(budget, 'database connections of this process')
  // The embedded server has only this process.
  const warning = isEmbedded ? null : budgetWarning(budget)
  if (warning) log.warn({}, warning)
}
