import type { Logger } from 'pino'
import { createIdentity } from './accounts/identity.ts'
import type { IssuerFetch } from './accounts/issuer.ts'
import { keys, setUp } from './accounts/keys.ts'
import { makeSetupToken, setUpUnattended } from './accounts/setup.ts'
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
import { recoverJobs } from './jobs/recover-jobs.ts'
import type { Resources } from './jobs/resources.ts'
import { openRuns } from './jobs/runs.ts'
import { reconcileAbandoned } from './jobs/swap/end-swap.ts'
import { taskHandlers } from './jobs/tasks/handlers.ts'
import { originsOf, secretsOf } from './pipeline/models/endpoints.ts'
import { createRunnerFactory } from './pipeline/runner-factory.ts'
import { sampleOnFirstUse } from './sample/on-first-use.ts'
import { pruneExpiredSessions } from './store/accounts/people.ts'
import { closeDatabase, openDatabase, reachDatabase } from './store/database.ts'
import { databaseProblem } from './store/database-problem.ts'
import { createDirectory } from './store/embedded/home.ts'
import { startEmbeddedPostgres } from './store/embedded/start.ts'
import { storeCounts } from './store/jobs/job-counts.ts'
import { pruneOldRuns } from './store/jobs/old-runs.ts'
import { pruneUploads } from './store/jobs/uploads.ts'
import { findVectors, pruneVectors, putVectors } from './store/ledger/embeddings.ts'
import { findAnswer, pruneAnswers, putAnswer } from './store/ledger/model-answers.ts'
import { migrate } from './store/migrate.ts'
import { migrations } from './store/migrations/all.ts'
import { createVault, loadMasterKey } from './store/vault.ts'
import { startScheduled } from './workflows/start.ts'

export type Service = {
  url: string | null
  /** Where the first account is created; null once one exists, and for a worker. */
  setupUrl: string | null
  /** Resolves with the reason when the embedded database dies. */
  broken: Promise<string>
  stop(): Promise<void>
}

const RECOVER_MS = 15_000
const PRUNE_MS = 24 * 3600_000
const TIDY_MS = 60_000
const RECONCILE_MS = 300_000

/** Opens all resources in order; `stop` closes them in reverse. */
export async function startService(
  environment: Environment,
  log: Logger,
  { hide, registry }: { hide: (secret: string) => void; registry: Registry },
): Promise<Service> {
  const closing: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close()
  }
  const broken = Promise.withResolvers<string>()
  try {
    const addresses = await open(environment, { log, hide, registry, closing, breaks: broken.resolve })
    return { ...addresses, broken: broken.promise, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Opening = {
  log: Logger
  hide: (secret: string) => void
  registry: Registry
  closing: (() => Promise<unknown>)[]
  breaks: (reason: string) => void
}

async function open(environment: Environment, opening: Opening): Promise<Pick<Service, 'url' | 'setupUrl'>> {
  const { log, hide, registry, closing } = opening
  const { role, dataDir, masterKey } = environment
  if (role !== 'worker') await listening(environment, checkPort(environment))
  if (!environment.databaseUrl || !masterKey) await makeDataDir(dataDir)
  const vault = createVault(await loadMasterKey(dataDir, masterKey))
  const databaseUrl = environment.databaseUrl ?? (await embeddedUrl(dataDir, opening))
  const db = openDatabase(databaseUrl, { log })
  closing.push(() => closeDatabase(db))
  await reachDatabase(db).catch((error) => {
    if (!environment.databaseUrl) throw error
    throw new EnvironmentError(`DATABASE_URL: ${databaseProblem(environment.databaseUrl, error)}`)
  })
  await migrate(db, migrations)
  const key = await setUp(db, vault, environment.setupApiKey)
  if (environment.setup) await setUpUnattended(db, environment.setup)
  if (role !== 'worker' && key !== 'ready') log.warn({}, aboutKeys[key])

  const sample = environment.sampleSource ? sampleOnFirstUse(SAMPLE_URL) : null
  closing.push(async () => sample?.close())
  const egress = createEgress({ allowedHosts: environment.allowedHosts, sample: sample?.connect ?? null })
  closing.push(() => egress.close())
  for (const key of secretsOf(environment.models)) hide(key)
  const models = trustedFetch(originsOf(environment.models))
  closing.push(() => models.close())
  const runners = createRunnerFactory({
    cache: { get: (keys) => findVectors(db, keys), put: (vectors) => putVectors(db, vectors) },
    models: {
      endpoints: environment.models,
      fetch: models.fetch,
      answers: { get: (key) => findAnswer(db, key), put: (key, answer) => putAnswer(db, key, answer) },
    },
  })
  closing.push(() => runners.close())
  const resources: Resources = {
    db,
    vault,
    egress,
    registry,
    log,
    hide,
    runners,
  }

  const engine = await startEngine(databaseUrl, log)
  const connected = connections(resources)
  const runs = openRuns(resources, connected)
  closing.push(() => runs.close())
  closing.push(() => engine.stop())

  if (role !== 'api') {
    await engine.work({
      ...taskHandlers({ resources, engine, runs, connections: connected }),
      scheduled: ({ workflowId }) => startScheduled(workflowId, { db, engine }),
    })
    const recovery = { resources, engine, runs, connections: connected }
    closing.push(every(RECOVER_MS, () => recoverJobs(recovery), log))
    // Apart from `recoverJobs`, so that a cluster that hangs delays no job.
    const abandoned = () =>
      reconcileAbandoned({ resources, connections: connected }, AbortSignal.timeout(RECONCILE_MS))
    closing.push(every(RECOVER_MS, abandoned, log))
    closing.push(every(TIDY_MS, () => storeCounts(db), log))
    closing.push(every(TIDY_MS, () => pruneOldRuns(db), log))
    closing.push(every(TIDY_MS, () => pruneUploads(db), log))
    closing.push(every(PRUNE_MS, () => pruneVectors(db), log))
    closing.push(every(PRUNE_MS, () => pruneAnswers(db), log))
    closing.push(every(PRUNE_MS, () => pruneExpiredSessions(db), log))
  }
  if (role === 'worker') return { url: null, setupUrl: null }

  const { oidc, rateLimit, trustedProxies } = environment
  if (oidc?.clientSecret) hide(oidc.clientSecret)
  const secret = vault.secretFor('sessions')
  const identity = createIdentity(db, { secret, oidc, fetchIssuer: through(egress), log })
  const server = await createServer(
    { resources, engine, connections: connected, runs },
    { keys: keys(db, vault), identity, rateLimit, trustedProxies, log },
  )
  closing.push(() => server.close())
  const url = await listening(environment, server.listen({ port: environment.port, host: environment.host }))
  const token = await makeSetupToken(db)
  return { url, setupUrl: token && `${url}/setup?token=${token}` }
}

// A person waits in the browser; responses are a few kilobytes.
const ISSUER_MS = 15_000
const ISSUER_BYTES = 1024 * 1024

/** The identity provider needs https and a public address, unless allowed. */
function through(egress: Egress): IssuerFetch {
  return (url, request) =>
    egress.request(url, { ...request, maxBytes: ISSUER_BYTES }, AbortSignal.timeout(ISSUER_MS))
}

async function listening<T>(environment: Environment, attempt: Promise<T>): Promise<T> {
  return attempt.catch((error) => {
    const problem = portProblem(error, environment)
    throw problem ? new EnvironmentError(problem) : error
  })
}

async function makeDataDir(path: string): Promise<void> {
  await createDirectory(path, process.getuid?.() === 0 ? 0o711 : 0o700).catch((error: AppError) => {
    const why = error.cause instanceof Error ? error.cause.message.replace(/, .*$/, '') : error.message
    throw new EnvironmentError(
      `the data directory ${path} cannot be created (${why}); set MILLRACE_DATA_DIR to another path`,
    )
  })
}

const aboutKeys = {
  none: 'no API key exists; create one on the page, or start with MILLRACE_SETUP_API_KEY set to 32 characters or more',
  ignored:
    'MILLRACE_SETUP_API_KEY was ignored: it only creates the first API key, and this database has one already',
}

async function embeddedUrl(dataDir: string, { log, closing, breaks }: Opening): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  closing.push(() => postgres.stop())
  void postgres.died.then(() =>
    breaks(`the embedded PostgreSQL (process ${postgres.pid}) ended; the next start recovers its data`),
  )
  return postgres.url
}
