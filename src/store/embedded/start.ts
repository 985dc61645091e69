import { readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { BaseLogger } from 'pino'
import { AppError } from '../../errors.ts'
import { installedPackage, usableBinaries } from './binaries.ts'
import { ensureCluster, readPassword, superuser } from './cluster.ts'
import { type Home, prepareHome } from './home.ts'
import { type FileLock, lockExclusive, tryExclusive, tryShared } from './lock.ts'
import { keepLogSmall } from './log.ts'
import { findRunning, type RunningServer, requestStop, startServer, stopServer } from './server.ts'

type EmbeddedPostgres = {
  url: string
  pid: number
  /** Whether the server was already running, started by another or a killed process. */
  adopted: boolean
  /** Settles when the server ends unexpectedly, never after `stop`. */
  died: Promise<void>
  /** Leaves the server; the last process to leave stops it. */
  stop(): Promise<void>
}

export type EmbeddedOptions = {
  dataDir: string
  log: Pick<BaseLogger, 'debug' | 'info' | 'warn'>
  signal?: AbortSignal
  /** Extra PostgreSQL settings, for servers whose data need not last. */
  settings?: Record<string, string>
  /** Where root keeps files that PostgreSQL's account must reach. */
  sharedDir?: string
  packageDir?: string
}

/**
 * One PostgreSQL per data directory, shared by all Millrace processes. A process holds `gate` exclusively while
 * it arrives or leaves, and `users` shared in between. A leaving process that can take `users` exclusively
 * stops the server.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log, signal, sharedDir = '/var/lib/millrace-postgres' } = options
  const home = await prepareHome({ dataDir: options.dataDir, sharedDir, log })
  const gate = await lockExclusive(join(home.directory, 'gate.lock'), signal)
  try {
    const found = await findRunning(home, signal)
    const running = found ?? (await startNew(home, { ...options, sharedDir }))
    const url = await ensureDatabase(home, running).catch(async (error) => {
      if (!found) await stopServer(home, running.pid)
      throw error
    })
    const usersLock = tryShared(join(home.directory, 'users.lock'))
    if (!usersLock) throw new AppError('internal', `sharing the embedded database in ${home.directory}`)
    log.debug(
      { postgres_pid: running.pid, port: running.port, adopted: Boolean(found) },
      'embedded PostgreSQL is ready',
    )
    return { url, pid: running.pid, adopted: Boolean(found), ...leaveHandlers(home, running, usersLock) }
  } finally {
    gate.release()
  }
}

async function startNew(
  home: Home,
  options: EmbeddedOptions & { sharedDir: string },
): Promise<RunningServer> {
  const { log, signal } = options
  await refuseOtherContainer(home)
  const binaries = await usableBinaries({
    packageDir: options.packageDir ?? (await installedPackage()),
    copyDir: home.account ? options.sharedDir : options.dataDir,
    account: home.account,
    log,
    signal,
  })
  await ensureCluster(home, { binaries, log, signal })
  await writeFile(join(home.directory, 'namespace'), await processNamespace())
  return startServer(home, { binaries, settings: options.settings ?? {} }, signal)
}

/**
 * Containers on one volume see each other's file locks but not processes. Two servers would destroy the data.
 */
async function refuseOtherContainer(home: Home): Promise<void> {
  const alone = tryExclusive(join(home.directory, 'users.lock'))
  alone?.release()
  if (alone) return
  const theirs = await readFile(join(home.directory, 'namespace'), 'utf8').catch(() => '')
  if (theirs === (await processNamespace())) return // the server died; a new one serves them too
  throw new AppError(
    'internal',
    `starting PostgreSQL in ${home.directory}, which another container is using`,
    {
      fix: 'Stop the other container first, or give both the same DATABASE_URL.',
    },
  )
}

function processNamespace(): Promise<string> {
  return readlink('/proc/self/ns/pid').catch(() => 'the only one')
}

/** A successful sign-in proves the server is ours. */
async function ensureDatabase(home: Home, { port }: RunningServer): Promise<string> {
  const password = await readPassword(home)
  const host = { host: '127.0.0.1', port, password }
  const client = new pg.Client({
    ...host,
    user: superuser,
    database: 'postgres',
    connectionTimeoutMillis: 30_000,
  })
  client.on('error', () => {}) // the failing query reports it
  try {
    await client.connect()
    const roles = await client.query("select from pg_roles where rolname = 'millrace'")
    // A superuser could read files through SQL; the sandbox needs a role. The password is hex and needs no quoting.
    if (!roles.rowCount)
      await client.query(`create role millrace login createdb createrole password '${password}'`)
    const databases = await client.query("select from pg_database where datname = 'millrace'")
    if (!databases.rowCount) await client.query('create database millrace owner millrace')
  } catch (cause) {
    throw new AppError('internal', `opening the embedded database in ${home.directory}`, {
      cause,
      fix: `If ${join(home.directory, 'password')} was changed, restore it from a backup.`,
    })
  } finally {
    await client.end().catch(() => {})
  }
  return `postgresql://millrace:${password}@127.0.0.1:${port}/millrace`
}

function leaveHandlers(
  home: Home,
  running: RunningServer,
  usersLock: FileLock,
): Pick<EmbeddedPostgres, 'stop' | 'died'> {
  const usersPath = join(home.directory, 'users.lock')
  // A process that exits without `stop` only requests the shutdown.
  const atExit = () => {
    const gate = tryExclusive(join(home.directory, 'gate.lock'))
    usersLock.release()
    if (gate && tryExclusive(usersPath)) requestStop(home, running.pid)
  }
  process.once('exit', atExit)
  const endChecks = keepLogSmall(home.directory)

  const leave = async () => {
    endChecks()
    const gate = await lockExclusive(join(home.directory, 'gate.lock'))
    process.removeListener('exit', atExit)
    try {
      usersLock.release()
      const alone = tryExclusive(usersPath)
      if (alone) await stopServer(home, running.pid)
      alone?.release()
    } finally {
      gate.release()
    }
  }
  let stopping: Promise<void> | undefined
  const died = running.ended.then(() => {
    if (stopping) return new Promise<never>(() => {})
    endChecks()
    process.removeListener('exit', atExit) // its pid may belong to another process by now
  })
  const stop = () => {
    stopping ??= leave()
    return stopping
  }
  return { stop, died }
}
