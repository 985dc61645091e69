import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { createIdentity } from './accounts/identity.ts'
import type { IssuerFetch } from './accounts/issuer.ts'
import { keys as createKeys, setUp } from './accounts/keys.ts'
import { createPersonTokens } from './accounts/person-token.ts'
import { makeSetupToken, setUpUnattended } from './accounts/setup.ts'
import { createExpensiveReads } from './api/http/expensive-reads.ts'
import { openUploads } from './api/http/forms/uploads.ts'
import { type HealthServer, startHealthServer } from './api/http/monitoring/health-server.ts'
import { createMonitoring, type Monitoring } from './api/http/monitoring/monitoring.ts'
import { checkPort, portProblem } from './api/http/port-check.ts'
import { createServer } from './api/http/server.ts'
import { addUploadMetrics } from './api/http/upload-metrics.ts'
import type { Egress } from './connectors/egress/egress.ts'
import { createEgress } from './connectors/egress/guard.ts'
import { trustRoots } from './connectors/egress/roots.ts'
import { trustedFetch } from './connectors/egress/trusted-fetch.ts'
import { type Registry, withoutSamples } from './connectors/registry.ts'
import { type Environment, EnvironmentError } from './environment.ts'
import { type AppError, explain } from './errors.ts'
import { connections } from './jobs/connections.ts'
import { databaseMeter } from './jobs/model-meter.ts'
import { sendDueDeliveries } from './jobs/notifications/deliver.ts'
import { recordProgressEvents } from './jobs/notifications/progress-events.ts'
import { startEngine, type TaskQueue } from './jobs/queue/engine.ts'
import { every } from './jobs/queue/every.ts'
import { pruneTurns } from './jobs/queue/fair-queue.ts'
import { recoverJobs } from './jobs/queue/recover-jobs.ts'
import { removeAgain } from './jobs/repeat-removals.ts'
import type { Resources } from './jobs/resources.ts'
import { openRuns } from './jobs/runs.ts'
import { repairSandboxes } from './jobs/sandbox.ts'
import { reconcileAbandoned } from './jobs/swap/end-swap.ts'
import { taskHandlers } from './jobs/tasks/handlers.ts'
import { verifyTask } from './jobs/tasks/verify.ts'
import type { RedactionRegistry } from './log/redaction.ts'
import { originsOf, secretsOf } from './pipeline/models/endpoints.ts'
import { networkConfinement } from './pipeline/partition/reading/network.ts'
import { createRunnerFactory } from './pipeline/runner-factory.ts'
import { pruneAudit } from './store/accounts/audit-log.ts'
import { pruneModelTokens } from './store/accounts/model-tokens.ts'
import { pruneExpiredSessions } from './store/accounts/people.ts'
import { budgetWarning, connectionBudget } from './store/connection-budget.ts'
import { prunePrincipalNames } from './store/connectors/principal-names.ts'
import { pruneMemberships } from './store/connectors/stored-memberships.ts'
import { pruneCounts } from './store/counts/shared-counts.ts'
import {
  closeDatabase,
  type Database,
  databasePoolUse,
  openDatabase,
  type PoolUse,
  reachDatabase,
} from './store/database.ts'
import { databaseProblem } from './store/database-problem.ts'
import { createDataDirectory } from './store/embedded/home.ts'
import { startEmbeddedPostgres } from './store/embedded/start.ts'
import {
  pruneDeletedWorkflows,
  pruneOldJobs,
  pruneOldPasses,
  pruneOldRuns,
  pruneRates,
} from './store/jobs/old-runs.ts'
import { pruneUploads } from './store/jobs/uploads.ts'
import { findVectors, pruneVectors, putVectors } from './store/ledger/embeddings.ts'
import { findAnswer, pruneAnswers, putAnswer } from './store/ledger/model-answers.ts'
import { loadMasterKeys } from './store/master-key-file.ts'
import { openVault, replacedKey } from './store/master-keys.ts'
import { migrate } from './store/migrate.ts'
import { migrations } from './store/migrations/all.ts'
import { reportOldPermissions } from './store/notifications/conditions.ts'
import { pruneNotifications } from './store/notifications/feed.ts'
import { runIfDue } from './store/periodic-tasks.ts'
import { addressOf } from './store/sandbox/sign-in.ts'
import { startDueRuns } from './workflows/due-runs.ts'
import { keepPermissionsFresh, sendDifferences } from './workflows/permission-passes.ts'
import { startRepairJob } from './workflows/repair.ts'
import { startScheduled } from './workflows/start.ts'

export type Service = {
  url: string | null
  /** Where a worker serves probes and metrics. */
  healthUrl: string | null
  /** Where the first account is created; null once one exists, and for a worker. */
  setupUrl: string | null
  /** Resolves with the reason when the embedded database dies, or a rotation has replaced the master key. */
  broken: Promise<string>
  stop(): Promise<void>
}

// The engine polls with short queries; most connections serve requests and tasks.
const ENGINE_SHARE = 3 / 8
const NO_CONNECTIONS: PoolUse = { max: 0, used: 0, idle: 0, waiting: 0 }
const RECOVER_MS = 15_000
const PRUNE_MS = 24 * 3600_000
const CLEANUP_MS = 60_000
// Permissions that were written too late are corrected after this time.
const FRESHNESS_MS = 5_000
const RECONCILE_MS = 300_000
const SCHEDULE_MS = 5_000
// How long an event waits for its first delivery.
const DELIVERY_MS = 2_000
const PROGRESS_MS = 30_000
// Several times within HOLDER_SECONDS.
const HOLDER_MS = 10_000

/** Opens all resources in order; `stop` closes them in reverse. */
export async function startService(
  environment: Environment,
  log: Logger,
  { secrets, registry, version }: { secrets: RedactionRegistry; registry: Registry; version: string },
): Promise<Service> {
  const closers: (() => Promise<unknown>)[] = []
  const pools: StartContext['pools'] = {}
  const monitoring = createMonitoring({
    ...{ version, role: environment.role },
    pools: () => Object.fromEntries(Object.entries(pools).map(([name, use]) => [name, use()])),
    metricsToken: environment.metricsToken,
    // Without a token the metrics are open to everyone who reaches the port.
    names: environment.metricsToken !== null,
  })
  let engine: TaskQueue | null = null
  const stop = async () => {
    monitoring.draining()
    // The API answers until its clients know, and while tasks finish.
    const noticed = environment.role === 'worker' ? null : monitoring.noticed(environment.drainSeconds * 1000)
    await Promise.all([noticed, engine?.drain()])
    for (const close of closers.splice(0).reverse()) await close()
  }
  const broken = Promise.withResolvers<string>()
  try {
    const addresses = await open(environment, {
      log,
      secrets,
      registry,
      closers,
      pools,
      monitoring,
      onBroken: broken.resolve,
      onEngine: (started) => {
        engine = started
      },
    })
    monitoring.started()
    return { ...addresses, broken: broken.promise, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type StartContext = {
  log: Logger
  secrets: RedactionRegistry
  registry: Registry
  closers: (() => Promise<unknown>)[]
  monitoring: Monitoring
  /** The use of each connection pool. */
  pools: Record<string, () => PoolUse>
  onBroken: (reason: string) => void
  onEngine: (engine: TaskQueue) => void
}

async function open(
  environment: Environment,
  context: StartContext,
): Promise<Pick<Service, 'url' | 'healthUrl' | 'setupUrl'>> {
  const { log, secrets, closers, monitoring, pools } = context
  const registry = environment.sampleSource ? context.registry : withoutSamples(context.registry)
  const { role, dataDir, masterKeys, network } = environment
  trustRoots(network.certificates)
  for (const secret of network.proxy?.secrets ?? []) secrets.add(secret)
  const answersStart = role === 'worker' ? null : await answerWhileStarting(environment, context)
  const healthUrl = role === 'worker' ? await serveHealth(environment, context) : null
  if (!environment.databaseUrl || !masterKeys) await makeDataDir(dataDir)
  const keys = await loadMasterKeys(dataDir, masterKeys)
  const databaseUrl = environment.databaseUrl ?? (await embeddedUrl(dataDir, context))
  const engineConnections = Math.max(2, Math.floor(environment.databaseConnections * ENGINE_SHARE))
  const db = openDatabase(databaseUrl, { log, max: environment.databaseConnections - engineConnections })
  closers.push(() => closeDatabase(db))
  pools.main = () => databasePoolUse(db) ?? NO_CONNECTIONS
  await reachDatabase(db).catch((error) => {
    if (!environment.databaseUrl) throw error
    throw new EnvironmentError(`DATABASE_URL: ${databaseProblem(environment.databaseUrl, error)}`)
  })
  await migrate(db, migrations)
  monitoring.readFrom(db)
  const { vault, holder } = await openVault(db, {
    keys,
    process: `${role} ${process.pid} on ${hostname()}`,
  })
  // Without its database the process still has to stop; its entry expires.
  closers.push(() => holder.leave().catch(() => {}))
  const renew = async () => {
    if (!(await holder.renew())) context.onBroken(explain(replacedKey()).message)
  }
  closers.push(every(HOLDER_MS, renew, log))
  const key = await setUp(db, vault, environment.setupApiKey)
  if (environment.setup) await setUpUnattended(db, environment.setup)
  if (role !== 'worker' && key !== 'ready') log.warn({}, keyWarnings[key])

  const egress = createEgress({
    allowedHosts: environment.allowedHosts,
    proxy: network.proxy,
    sandbox: environment.sandbox ? { ...addressOf(databaseUrl), maxMb: environment.sandboxMb } : null,
  })
  closers.push(() => egress.close())
  for (const key of secretsOf(environment.models)) secrets.add(key)
  const models = trustedFetch(originsOf(environment.models), { proxy: network.proxy })
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
  const resources: Resources = {
    db,
    vault,
    egress,
    registry,
    log,
    hide: secrets.hide,
    runners,
    meter: (workspaceId) => databaseMeter(db, { workspaceId, limit: environment.modelTokensPerDay }),
    uploadQuotas: environment.uploadQuotas,
  }
  if (environment.sandbox) await repairSandboxes(resources)

  const engine = await startEngine(databaseUrl, {
    ...{ db, log, connections: engineConnections },
    contentTasks: environment.workerConcurrency,
    drainMs: environment.drainSeconds * 1000,
  })
  context.onEngine(engine)
  pools.engine = engine.poolUse
  await logConnections(db, { pools, log, isEmbedded: environment.databaseUrl === null })
  const connected = connections(resources)
  const runs = openRuns(resources, connected)
  closers.push(() => runs.close())
  closers.push(() => engine.stop())

  if (role !== 'api') {
    await engine.work({
      ...taskHandlers({ resources, engine, runs, connections: connected }),
      verify: verifyTask({
        ...{ resources, engine, connections: connected },
        startRepairJob: (workflowId, startedBy) => startRepairJob(workflowId, startedBy, { db, engine }),
      }),
      scheduled: ({ workflowId }) => startScheduled(workflowId, { db, engine }),
    })
    await startDueRuns({ db, engine })
    closers.push(every(SCHEDULE_MS, () => startDueRuns({ db, engine }), log))
    const recovery = { resources, engine, runs, connections: connected }
    closers.push(every(RECOVER_MS, () => recoverJobs(recovery), log))
    // Separate from `recoverJobs`, so that a hanging cluster does not delay jobs.
    const abandoned = () =>
      reconcileAbandoned({ resources, connections: connected }, AbortSignal.timeout(RECONCILE_MS))
    closers.push(every(RECOVER_MS, abandoned, log))
    closers.push(every(FRESHNESS_MS, () => keepPermissionsFresh({ db, engine }), log))
    closers.push(every(FRESHNESS_MS, () => sendDifferences({ db, engine }), log))
    closers.push(every(DELIVERY_MS, () => sendDueDeliveries({ db, engine }), log))
    const removal = () =>
      removeAgain({ resources, connections: connected }, AbortSignal.timeout(RECONCILE_MS))
    const removalIfDue = async () =>
      void (await runIfDue(db, { name: 'removeAgain', everyMs: RECOVER_MS / 2 }, removal))
    closers.push(every(RECOVER_MS, removalIfDue, log))
    // One process at a time; the database remembers the last run across restarts. Half, because timers drift.
    const once = (everyMs: number, work: (db: Database) => Promise<void>, pollMs = CLEANUP_MS) => {
      const ifDue = async () => void (await runIfDue(db, { name: work.name, everyMs }, () => work(db)))
      closers.push(every(pollMs, ifDue, log))
    }
    once(CLEANUP_MS / 2, pruneOldRuns)
    once(CLEANUP_MS / 2, pruneOldPasses)
    once(CLEANUP_MS / 2, pruneUploads)
    once(10 * CLEANUP_MS, pruneOldJobs)
    once(10 * CLEANUP_MS, pruneDeletedWorkflows)
    once(PRUNE_MS, pruneVectors)
    once(PRUNE_MS, pruneAnswers)
    once(PRUNE_MS, pruneModelTokens)
    once(PRUNE_MS, pruneExpiredSessions)
    once(PRUNE_MS, pruneRates)
    once(10 * CLEANUP_MS, pruneCounts)
    once(PRUNE_MS, pruneTurns)
    once(PRUNE_MS, pruneMemberships)
    once(PRUNE_MS, prunePrincipalNames)
    once(10 * CLEANUP_MS, pruneNotifications)
    const pruneAuditLog = (db: Database) => pruneAudit(db, { days: environment.auditDays })
    once(10 * CLEANUP_MS, pruneAuditLog)
    once(CLEANUP_MS / 2, reportOldPermissions, FRESHNESS_MS)
    once(PROGRESS_MS, recordProgressEvents, FRESHNESS_MS)
  }
  if (role === 'worker') return { url: null, healthUrl, setupUrl: null }

  const { oidc, rateLimit, personRateLimit, publicUrls, trustedProxies } = environment
  const { workspaceRateLimit, maxKeys, maxWorkspaces } = environment
  if (oidc?.clientSecret) secrets.add(oidc.clientSecret)
  const secret = vault.secretFor('sessions')
  const fetchIssuer = issuerFetchThrough(egress)
  const identity = createIdentity(db, { secret, oidc, fetchIssuer, log })
  const personTokens = createPersonTokens(db, { fetchIssuer, maxHours: environment.personTokenHours })
  const uploads = await openUploads()
  closers.push(() => uploads.close())
  monitoring.add((metrics) => addUploadMetrics(metrics, { db, uploads }))
  const server = await createServer(
    { resources, engine, connections: connected, runs, uploads, reads: createExpensiveReads(db) },
    {
      ...{ keys: createKeys(db, vault), identity, personTokens },
      ...{ rateLimit, personRateLimit, trustedProxies, monitoring, log },
      ...{ workspaceRateLimit, accountLimits: { maxKeys, maxWorkspaces } },
      publicUrls,
      publicHosts: [...publicUrls.map(({ hostname }) => hostname), environment.host],
    },
  )
  closers.push(() => server.close())
  await answersStart?.close()
  const url = await explainPortError(
    environment,
    server.listen({ port: environment.port, host: environment.host }),
  )
  const token = await makeSetupToken(db)
  const pageUrl = publicUrls[0]?.href.replace(/\/$/, '') ?? url
  return { url, healthUrl, setupUrl: token && `${pageUrl}/setup?token=${token}` }
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

function logNetworkConfinement(log: Logger): void {
  const { kind } = networkConfinement()
  if (kind === 'none') log.warn({ confinement: kind }, 'processes that read files can use the network')
  else log.info({ confinement: kind }, 'processes that read files have no network')
}

// A person waits in the browser; responses are a few kilobytes.
const ISSUER_MS = 15_000
const ISSUER_BYTES = 1024 * 1024

/** The identity provider needs https and a public address, unless allowed. */
function issuerFetchThrough(egress: Egress): IssuerFetch {
  return (url, request) =>
    egress.request(url, { ...request, maxBytes: ISSUER_BYTES }, AbortSignal.timeout(ISSUER_MS))
}

const HEALTH_PORT = 8081

/** A second worker on a machine works without a port, unless one was asked for. */
async function serveHealth(
  { host, healthPort }: Environment,
  { monitoring, closers, log }: StartContext,
): Promise<string | null> {
  const address = { host, port: healthPort ?? HEALTH_PORT, variable: 'MILLRACE_HEALTH_PORT' }
  try {
    const server = await explainPortError(address, startHealthServer(monitoring, address))
    closers.push(() => server.close())
    return server.url
  } catch (error) {
    if (healthPort !== null || !(error instanceof EnvironmentError)) throw error
    log.warn({}, `no probes and no metrics: ${error.message}`)
    return null
  }
}

/** Probes get an answer during migrations. Port 0 is another one every time, so it is only checked. */
async function answerWhileStarting(
  environment: Environment,
  { monitoring, closers }: StartContext,
): Promise<HealthServer | null> {
  const { host, port } = environment
  if (port === 0) {
    await explainPortError(environment, checkPort(environment))
    return null
  }
  const server = await explainPortError(
    environment,
    startHealthServer(monitoring, { host, port, fallback: 503 }),
  )
  closers.push(() => server.close())
  return server
}

type PortAddress = Parameters<typeof portProblem>[1]

async function explainPortError<T>(address: PortAddress, attempt: Promise<T>): Promise<T> {
  return attempt.catch((error) => {
    const problem = portProblem(error, address)
    throw problem ? new EnvironmentError(problem) : error
  })
}

async function makeDataDir(path: string): Promise<void> {
  await createDataDirectory(path, process.getuid?.() === 0 ? 0o711 : 0o700).catch((error: AppError) => {
    const why = error.cause instanceof Error ? error.cause.message.replace(/, .*$/, '') : error.message
    throw new EnvironmentError(
      `the data directory ${path} cannot be created (${why}); set MILLRACE_DATA_DIR to another path`,
    )
  })
}

const keyWarnings = {
  none: 'no API key exists; create one on the page, or start with MILLRACE_SETUP_API_KEY set to 32 characters or more',
  ignored:
    'MILLRACE_SETUP_API_KEY was ignored: it only creates the first API key, and this database has one already',
}

async function embeddedUrl(dataDir: string, { log, closers, onBroken }: StartContext): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  closers.push(() => postgres.stop())
  void postgres.died.then(() =>
    onBroken(`the embedded PostgreSQL (process ${postgres.pid}) ended; the next start recovers its data`),
  )
  return postgres.url
}
