import type { Logger } from 'pino'
import { keys, setUp } from './accounts/keys.ts'
import { createServer } from './api/server.ts'
import { createEgress } from './connectors/egress/guard.ts'
import type { Environment } from './environment.ts'
import { connections } from './jobs/connections.ts'
import { startEngine } from './jobs/engine.ts'
import type { Resources } from './jobs/resources.ts'
import { openRuns } from './jobs/runs.ts'
import { handlers, sweep } from './jobs/worker.ts'
import { createEmbedder, type Embedder } from './pipeline/embed/embedder.ts'
import { createVault, loadMasterKey } from './secrets.ts'
import { closeDatabase, openDatabase, reachDatabase } from './store/database.ts'
import { startEmbeddedPostgres } from './store/embedded.ts'
import { findVectors, pruneVectors, putVectors } from './store/embeddings.ts'
import { migrate } from './store/migrate.ts'
import { migrations } from './store/migrations/all.ts'
import { startScheduled } from './workflows/start.ts'

export type Service = { url: string | null; stop(): Promise<void> }

const SWEEP_MS = 15_000
const PRUNE_MS = 24 * 3600_000

/** Opens everything a process needs, in order; `stop` closes it in reverse. */
export async function startService(
  environment: Environment,
  log: Logger,
  hide: (secret: string) => void,
): Promise<Service> {
  const closing: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close()
  }
  try {
    return { url: await open(environment, { log, hide, closing }), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Opening = { log: Logger; hide: (secret: string) => void; closing: (() => Promise<unknown>)[] }

async function open(environment: Environment, { log, hide, closing }: Opening): Promise<string | null> {
  const vault = createVault(await loadMasterKey(environment.dataDir, environment.masterKey))
  const databaseUrl = environment.databaseUrl ?? (await embeddedUrl(environment.dataDir, log, closing))
  const db = openDatabase(databaseUrl, { log })
  closing.push(() => closeDatabase(db))
  await reachDatabase(db)
  await migrate(db, migrations)
  await setUp(db, vault, environment.setupApiKey)

  const egress = createEgress({ allowedHosts: environment.allowedHosts })
  closing.push(() => egress.close())
  const embedders = new Map<string, Embedder>()
  closing.push(() => Promise.all([...embedders.values()].map((embedder) => embedder.close())))
  const resources: Resources = {
    db,
    vault,
    egress,
    log,
    hide,
    embedder(model) {
      let embedder = embedders.get(model)
      if (!embedder) {
        embedder = createEmbedder({
          model,
          cache: { get: (wanted) => findVectors(db, wanted), put: (made) => putVectors(db, made) },
        })
        embedders.set(model, embedder)
      }
      return embedder
    },
  }

  const engine = await startEngine(databaseUrl, log)
  const connected = connections(resources)
  const runs = openRuns(resources, connected)
  closing.push(() => runs.close())
  closing.push(() => engine.stop())

  if (environment.role !== 'api') {
    await engine.work({
      ...handlers({ resources, engine, runs, connections: connected }),
      scheduled: ({ workflowId }) => startScheduled(workflowId, { db, engine }),
    })
    closing.push(every(SWEEP_MS, () => sweep({ resources, engine }), log))
    closing.push(every(PRUNE_MS, () => pruneVectors(db), log))
  }
  if (environment.role === 'worker') return null

  const server = await createServer(
    { resources, engine, connections: connected, runs },
    { keys: keys(db, vault), rateLimit: environment.rateLimit, log },
  )
  closing.push(() => server.close())
  return server.listen({ port: environment.port, host: environment.host })
}

async function embeddedUrl(dataDir: string, log: Logger, closing: Opening['closing']): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  closing.push(() => postgres.stop())
  return postgres.url
}

/** Does something now and then until it is stopped; waits for the last time to end. */
function every(ms: number, work: () => Promise<void>, log: Logger): () => Promise<void> {
  let running = Promise.resolve()
  const timer = setInterval(() => {
    running = running.then(work).catch((error) => log.error({ err: error }, 'a regular task failed'))
  }, ms)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
