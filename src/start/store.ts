import { hostname } from 'node:os'
import { setUp } from '../accounts/keys.ts'
import { setUpUnattended } from '../accounts/setup.ts'
import { type Environment, EnvironmentError } from '../environment.ts'
import { type AppError, explain } from '../errors.ts'
import { every } from '../jobs/queue/every.ts'
import {
  closeDatabase,
  type Database,
  databasePoolUse,
  openDatabase,
  type PoolUse,
  reachDatabase,
} from '../store/database.ts'
import { databaseProblem } from '../store/database-problem.ts'
import { createDataDirectory } from '../store/embedded/home.ts'
import { startEmbeddedPostgres } from '../store/embedded/start.ts'
import { loadMasterKeys } from '../store/master-key-file.ts'
import { openVault, replacedKey } from '../store/master-keys.ts'
import { migrate } from '../store/migrate.ts'
import { migrations } from '../store/migrations/all.ts'
import type { Vault } from '../store/vault.ts'
import type { StartContext } from './context.ts'

export type Store = {
  db: Database
  vault: Vault
  databaseUrl: string
  /** The connections left for the queue. */
  engineConnections: number
}

// The engine polls with short queries; most connections serve requests and tasks.
const ENGINE_SHARE = 3 / 8
const NO_CONNECTIONS: PoolUse = { max: 0, used: 0, idle: 0, waiting: 0 }
// Several times within HOLDER_SECONDS.
const HOLDER_MS = 10_000

/** The database with the current schema, the first accounts, and the secrets in it. */
export async function openStore(environment: Environment, context: StartContext): Promise<Store> {
  const { log, closers, monitoring, pools } = context
  const { role, dataDir, masterKeys } = environment
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
  return { db, vault, databaseUrl, engineConnections }
}

async function makeDataDir(path: string): Promise<void> {
  await createDataDirectory(path, process.getuid?.() === 0 ? 0o711 : 0o700).catch((error: AppError) => {
    const why = error.cause instanceof Error ? error.cause.message.replace(/, .*$/, '') : error.message
    throw new EnvironmentError(
      `the data directory ${path} cannot be created (${why}); set MILLRACE_DATA_DIR to another path`,
    )
  })
}

async function embeddedUrl(dataDir: string, { log, closers, onBroken }: StartContext): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  closers.push(() => postgres.stop())
  void postgres.died.then(() =>
    onBroken(`the embedded PostgreSQL (process ${postgres.pid}) ended; the next start recovers its data`),
  )
  return postgres.url
}

const keyWarnings = {
  none: 'no API key exists; create one on the page, or start with MILLRACE_SETUP_API_KEY set to 32 characters or more',
  ignored:
    'MILLRACE_SETUP_API_KEY was ignored: it only creates the first API key, and this database has one already',
}
