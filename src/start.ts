import type { Logger } from 'pino'
import { createIdentity } from './accounts/identity.ts'
import type { IssuerFetch } from './accounts/issuer.ts'
import { keys, setUp } from './accounts/keys.ts'
import { createPersonTokens } from './accounts/person-token.ts'
import { makeSetupToken, setUpUnattended } from './accounts/setup.ts'
import { openUploads } from './api/forms/uploads.ts'
import { checkPort, portProblem } from './api/port-check.ts'
import { createServer } from './api/server.ts'
import type { Egress } from './connectors/egress/egress.ts'
import { createEgress } from './connectors/egress/guard.ts'
import { SAMPLE_URL } from './connectors/egress/sample-host.ts'
import { trustedFetch } from './connectors/egress/trusted-fetch.ts'
import type { Registry } from './connectors/registry.ts'
import { type Environment, EnvironmentError } from './environment.ts'
import type { AppError } from './errors.ts'
import { connections } from './jobs/connections.ts'
import { startEngine } from './jobs/engine.ts'
import { every } from './jobs/every.ts'
import { sendDueDeliveries } from './jobs/notifications/deliver.ts'
import { recordProgressEvents } from './jobs/notifications/progress-events.ts'
import { recoverJobs } from './jobs/recover-jobs.ts'
import { removeAgain } from './jobs/remove-again.ts'
import type { Resources } from './jobs/resources.ts'
import { openRuns } from './jobs/runs.ts'
import { repairSandboxes } from './jobs/sandbox.ts'
import { reconcileAbandoned } from './jobs/swap/end-swap.ts'
import { pruneTurns } from './jobs/task-turns.ts'
import { taskHandlers } from './jobs/tasks/handlers.ts'
import { verifyTask } from './jobs/tasks/verify.ts'
import { originsOf, secretsOf } from './pipeline/models/endpoints.ts'
import { networkConfinement } from './pipeline/partition/reading/network.ts'
import { createRunnerFactory } from './pipeline/runner-factory.ts'
import { sampleOnFirstUse } from './sample/on-first-use.ts'
import { pruneExpiredSessions } from './store/accounts/people.ts'
import { pruneMemberships } from './store/connectors/memberships.ts'
import { prunePrincipalNames } from './store/connectors/principal-names.ts'
import { closeDatabase, type Database, openDatabase, reachDatabase } from './store/database.ts'
import { databaseProblem } from './store/database-problem.ts'
import { createDataDirectory } from './store/embedded/home.ts'
import { startEmbeddedPostgres } from './store/embedded/start.ts'
import { pruneOldPasses, pruneOldRuns, pruneRates } from './store/jobs/old-runs.ts'
import { pruneUploads } from './store/jobs/uploads.ts'
import { findVectors, pruneVectors, putVectors } from './store/ledger/embeddings.ts'
import { findAnswer, pruneAnswers, putAnswer } from './store/ledger/model-answers.ts'
import { migrate } from './store/migrate.ts'
import { migrations } from './store/migrations/all.ts'
import { reportOldPermissions } from './store/notifications/conditions.ts'
import { pruneNotifications } from './store/notifications/feed.ts'
import { runIfDue } from './store/periodic-tasks.ts'
import { addressOf } from './store/sandbox/sign-in.ts'
import { createVault, loadMasterKey } from './store/vault.ts'
import { startDueRuns } from './workflows/due-runs.ts'
import { keepPermissionsFresh, sendDifferences } from './workflows/permission-passes.ts'
import { startRepairJob } from './workflows/repair.ts'
import { startScheduled } from './workflows/start.ts'

export type Service = {
  url: string | null
  /** Where the first account is created; null once one exists, and for a worker. */
  setupUrl: string | null
  /** Resolves with the reason when the embedded database dies. */
  broken: Promise<string>
  stop(): Promise<void>
}

// The engine polls with short queries; most connections serve requests and tasks.
const ENGINE_SHARE = 3 / 8
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

/** Opens all resources in order; `stop` closes them in reverse. */
export async function startService(
  environment: Environment,
  log: Logger,
  { hide, registry }: { hide: (secret: string) => void; registry: Registry },
): Promise<Service> {
  const closers: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  const broken = Promise.withResolvers<string>()
  try {
    const addresses = await open(environment, {
      log,
      hide,
      registry,
      closers,
      onDatabaseExit: broken.resolve,
    })
    return { ...addresses, broken: broken.promise, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type StartContext = {
  log: Logger
  hide: (secret: string) => void
  registry: Registry
  closers: (() => Promise<unknown>)[]
  onDatabaseExit: (reason: string) => void
}

async function open(
  environment: Environment,
  context: StartContext,
): Promise<Pick<Service, 'url' | 'setupUrl'>> {
  const { log, hide, registry, closers } = context
  const { role, dataDir, masterKey } = environment
  if (role !== 'worker') await explainPortError(environment, checkPort(environment))
  if (!environment.databaseUrl || !masterKey) await makeDataDir(dataDir)
  const vault = createVault(await loadMasterKey(dataDir, masterKey))
  const databaseUrl = environment.databaseUrl ?? (await embeddedUrl(dataDir, context))
  const engineConnections = Math.max(2, Math.floor(environment.databaseConnections * ENGINE_SHARE))
  const db = openDatabase(databaseUrl, { log, max: environment.databaseConnections - engineConnections })
  closers.push(() => closeDatabase(db))
  await reachDatabase(db).catch((error) => {
    if (!environment.databaseUrl) throw error
    throw new EnvironmentError(`DATABASE_URL: ${databaseProblem(environment.databaseUrl, error)}`)
  })
  await migrate(db, migrations)
  const key = await setUp(db, vault, environment.setupApiKey)
  if (environment.setup) await setUpUnattended(db, environment.setup)
  if (role !== 'worker' && key !== 'ready') log.warn({}, keyWarnings[key])

  const sample = environment.sampleSource ? sampleOnFirstUse(SAMPLE_URL) : null
  closers.push(async () => sample?.close())
  const egress = createEgress({
    allowedHosts: environment.allowedHosts,
    sample: sample?.connect ?? null,
    sandbox: environment.sandbox ? addressOf(databaseUrl) : null,
  })
  closers.push(() => egress.close())
  for (const key of secretsOf(environment.models)) hide(key)
  const models = trustedFetch(originsOf(environment.models))
  closers.push(() => models.close())
  const runners = createRunnerFactory({
    cache: { get: (keys) => findVectors(db, keys), put: (vectors) => putVectors(db, vectors) },
    models: {
      endpoints: environment.models,
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
    hide,
    runners,
    uploadQuotas: environment.uploadQuotas,
  }
  if (environment.sandbox) await repairSandboxes(resources)

  const engine = await startEngine(databaseUrl, {
    ...{ db, log, connections: engineConnections },
    contentTasks: environment.workerConcurrency,
    drainMs: environment.drainSeconds * 1000,
  })
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
    await engine.clearSchedules()
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
    once(PRUNE_MS, pruneVectors)
    once(PRUNE_MS, pruneAnswers)
    once(PRUNE_MS, pruneExpiredSessions)
    once(PRUNE_MS, pruneRates)
    once(PRUNE_MS, pruneTurns)
    once(PRUNE_MS, pruneMemberships)
    once(PRUNE_MS, prunePrincipalNames)
    once(10 * CLEANUP_MS, pruneNotifications)
    once(CLEANUP_MS / 2, reportOldPermissions, FRESHNESS_MS)
    once(PROGRESS_MS, recordProgressEvents, FRESHNESS_MS)
  }
  if (role === 'worker') return { url: null, setupUrl: null }

  const { oidc, rateLimit, personRateLimit, publicHosts, trustedProxies } = environment
  if (oidc?.clientSecret) hide(oidc.clientSecret)
  const secret = vault.secretFor('sessions')
  const fetchIssuer = issuerFetchThrough(egress)
  const identity = createIdentity(db, { secret, oidc, fetchIssuer, log })
  const uploads = await openUploads()
  closers.push(() => uploads.close())
  const server = await createServer(
    { resources, engine, connections: connected, runs, uploads },
    {
      ...{ keys: keys(db, vault), identity, personTokens: createPersonTokens(db, fetchIssuer) },
      ...{ rateLimit, personRateLimit, trustedProxies, log },
      publicHosts: [...publicHosts, environment.host],
    },
  )
  closers.push(() => server.close())
  const url = await explainPortError(
    environment,
    server.listen({ port: environment.port, host: environment.host }),
  )
  const token = await makeSetupToken(db)
  return { url, setupUrl: token && `${url}/setup?token=${token}` }
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

async function explainPortError<T>(environment: Environment, attempt: Promise<T>): Promise<T> {
  return attempt.catch((error) => {
    const problem = portProblem(error, environment)
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

async function embeddedUrl(dataDir: string, { log, closers, onDatabaseExit }: StartContext): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  closers.push(() => postgres.stop())
  void postgres.died.then(() =>
    onDatabaseExit(
      `the embedded PostgreSQL (process ${postgres.pid}) ended; the next start recovers its data`,
    ),
  )
  return postgres.url
}
