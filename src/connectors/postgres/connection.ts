import { Socket } from 'node:net'
import pg from 'pg'
import { createLimiter, createSharedLimiter, type Limiter } from '../../concurrency.ts'
import { AppError } from '../../errors.ts'
import { refusedWrites } from '../../process-metrics.ts'
import type { Egress } from '../egress/egress.ts'
import { isSandboxHost } from '../egress/sandbox-host.ts'
import { retry } from '../kit/retries.ts'
import type { Context } from '../type.ts'
import { type PostgresConfig, type SslMode, socketTarget, sslModeOf, tableOf } from './config.ts'
import { type ConnectionOptions, TableConnection } from './driver.ts'
import { TABLE_PACE, type TablePace } from './pace.ts'
import { isWithoutTls, sqlStateOf, type TableAddress, translateFailure } from './translate.ts'

/** Every worker slice opens a destination, and a server allows 100 connections by default. */
const MAX_CONNECTIONS = 3
/** Of this process. Sandboxes are in the service's own database, which has few connections. */
const limitSandboxes = createSharedLimiter({ total: 8, each: MAX_CONNECTIONS })
/** Creating an index on a large table takes minutes. */
const SCHEMA_MS = 600_000
/** For checks, because a person waits for them. */
const CHECK_MS = 15_000
/** How often a server looks whether the client of a running statement is gone. */
const WATCH_MS = 1_000
/** A statement that waits for a table blocks all others that want it. */
const LOCK_MS = 30_000
/** A process that froze or lost its network keeps its locks until then; shorter than `lock_timeout`. */
const IDLE_MS = 20_000

export type Statement = { text: string; values?: unknown[] }
export type Run = <Row extends object>(statement: Statement) => Promise<Row[]>
export type Work<T> = (run: Run) => Promise<T>

export type TableClient = {
  readonly address: TableAddress
  readonly config: PostgresConfig
  /** What the table may hold; only for a sandbox. */
  readonly maxMb: number | null
  /** One transaction, retried with backoff; the work must be idempotent. */
  transaction<T>(doing: string, work: Work<T>, signal: AbortSignal): Promise<T>
  /** The same, unable to write. */
  read<T>(doing: string, work: Work<T>, signal: AbortSignal): Promise<T>
  /** The same with the time for creating indexes. */
  alter<T>(doing: string, work: Work<T>, signal: AbortSignal): Promise<T>
  /** One attempt that cannot write, with the time of a check. */
  inspectOnce<T>(doing: string, work: Work<T>, signal: AbortSignal): Promise<T>
  close(): Promise<void>
}

type Mode = { begin: string; timeoutMs: number; attempts: number }

/** Said explicitly, because a role may have another default isolation level. */
const BEGIN = 'begin isolation level read committed'

/** Tests pass a shorter `pace`. */
export function openTableClient(
  config: PostgresConfig,
  { egress, maxWaitMs }: Pick<Context, 'egress' | 'maxWaitMs'>,
  pace: TablePace = TABLE_PACE,
): TableClient {
  const address = addressOf(config)
  const isSandbox = isSandboxHost(config.host)
  const limit: Limiter = isSandbox
    ? (work, signal) => limitSandboxes(config.username, work, signal)
    : createLimiter(MAX_CONNECTIONS)
  const { connect, close } = createConnector(config, egress, pace)
  const begin = createBegin()

  const once = async <T>(work: Work<T>, mode: Mode, signal: AbortSignal): Promise<T> => {
    signal.throwIfAborted()
    const client = await connect(signal)
    const stop = () => client.destroy()
    signal.addEventListener('abort', stop, { once: true })
    const query_timeout = mode.timeoutMs + pace.graceMs
    const run: Run = async ({ text, values = [] }) =>
      (await client.query({ text, values, query_timeout } as pg.QueryConfig)).rows
    const control = (text: string) => client.query({ text, query_timeout } as pg.QueryConfig)
    try {
      signal.throwIfAborted()
      await begin(control, mode)
      const result = await work(run)
      await control('commit')
      // An idle connection to a sandbox would count as open.
      client.release(isSandbox)
      return result
    } catch (error) {
      await giveBack(client, { error, closes: isSandbox }, () => control('rollback'))
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  const transact = <T>(
    doing: string,
    { work, mode }: { work: Work<T>; mode: Mode },
    signal: AbortSignal,
  ): Promise<T> => {
    const attempt = async () => {
      try {
        return { value: await limit(() => once(work, mode, signal), signal) }
      } catch (error) {
        signal.throwIfAborted()
        const failure = translateFailure(error, doing, address)
        if (mode === modes.write && failure.isTransient)
          refusedWrites.add({
            reason: failure.error.code === 'destination_overloaded' ? 'overloaded' : 'unreachable',
          })
        return failure
      }
    }
    return retry({ ...pace, attempts: mode.attempts, maxTotalMs: maxWaitMs }, attempt, signal)
  }

  const { attempts, statementMs } = pace
  const modes = {
    write: { begin: BEGIN, timeoutMs: statementMs, attempts },
    read: { begin: `${BEGIN}, read only`, timeoutMs: statementMs, attempts },
    alter: { begin: BEGIN, timeoutMs: SCHEMA_MS, attempts },
    check: { begin: `${BEGIN}, read only`, timeoutMs: Math.min(CHECK_MS, statementMs), attempts: 1 },
  } as const satisfies Record<string, Mode>
  return {
    address,
    config,
    maxMb: isSandbox ? (egress.sandbox?.maxMb ?? null) : null,
    transaction: (doing, work, signal) => transact(doing, { work, mode: modes.write }, signal),
    read: (doing, work, signal) => transact(doing, { work, mode: modes.read }, signal),
    alter: (doing, work, signal) => transact(doing, { work, mode: modes.alter }, signal),
    inspectOnce: (doing, work, signal) => transact(doing, { work, mode: modes.check }, signal),
    close,
  }
}

type Connection = TableConnection & pg.PoolClient

/** Learns from the first attempt whether the server has TLS. */
function createConnector(config: PostgresConfig, egress: Egress, pace: TablePace) {
  let mode = sslModeOf(config)
  let pool: pg.Pool | undefined

  const connect = async (signal: AbortSignal): Promise<Connection> => {
    try {
      return await connectOnce(signal)
    } catch (error) {
      if (mode === 'verify-full' || !isWithoutTls(error)) throw error
      // Several connections may learn it at once.
      if (mode === 'prefer') {
        mode = 'disable'
        void pool?.end()
        pool = undefined
      }
      return connectOnce(signal)
    }
  }
  const connectOnce = async (signal: AbortSignal): Promise<Connection> => {
    pool ??= openPool(config, { egress, mode }, pace)
    const connecting = pool.connect() as Promise<Connection>
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    try {
      return await Promise.race([connecting, aborted])
    } catch (error) {
      void connecting.then(
        (late) => late.release(true),
        () => {},
      )
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
  return {
    connect,
    close: async () => {
      await pool?.end()
    },
  }
}

/** Begins a transaction in one message: poolers between here and the server lose settings of a session. */
function createBegin() {
  /** Since PostgreSQL 14, and not on every platform. */
  let canWatch = true
  return async (
    control: (text: string) => Promise<unknown>,
    { begin, timeoutMs }: Pick<Mode, 'begin' | 'timeoutMs'>,
  ) => {
    const text = `${begin}; ${settingsOf(timeoutMs)}`
    if (!canWatch) return control(text)
    try {
      return await control(`${text}; set local client_connection_check_interval = ${WATCH_MS}`)
    } catch (error) {
      if (!['42704', '22023'].includes(sqlStateOf(error) ?? '')) throw error
      canWatch = false
      await control('rollback')
      return control(text)
    }
  }
}

/** What a role or a database may have set differently. */
function settingsOf(timeoutMs: number): string {
  return Object.entries({
    client_encoding: 'UTF8',
    standard_conforming_strings: 'on',
    // Otherwise functions that other roles created could run as this one.
    search_path: 'pg_catalog, pg_temp',
    statement_timeout: timeoutMs,
    lock_timeout: Math.min(LOCK_MS, timeoutMs),
    idle_in_transaction_session_timeout: Math.floor(Math.min(IDLE_MS, timeoutMs / 3)),
  })
    .map(([name, value]) => `set local ${name} = ${value}`)
    .join('; ')
}

/** After an answer of the server the connection can be used again; otherwise its state is unknown. */
async function giveBack(
  client: TableConnection & pg.PoolClient,
  { error, closes }: { error: unknown; closes: boolean },
  rollback: () => Promise<unknown>,
): Promise<void> {
  const isUsable = error instanceof AppError || sqlStateOf(error) !== null
  const rolledBack =
    isUsable &&
    (await rollback().then(
      () => true,
      () => false,
    ))
  if (!rolledBack) client.destroy()
  client.release(!rolledBack || closes)
}

type Server = { egress: Egress; mode: SslMode }

function openPool(config: PostgresConfig, server: Server, { connectMs }: TablePace): pg.Pool {
  const pool = new pg.Pool({
    ...serverOf(config, server),
    Client: TableConnection,
    user: config.username,
    password: config.password,
    application_name: 'millrace',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 10_000,
    allowExitOnIdle: true,
    keepAlive: true,
  } as pg.PoolConfig)
  // A lost idle connection; the pool opens another.
  pool.on('error', () => {})
  return pool
}

/** The sandbox is the service's own database, which the egress guard does not resolve. */
function serverOf(config: PostgresConfig, { egress, mode }: Server): pg.PoolConfig & ConnectionOptions {
  const { host, port, database, ca_certificate } = config
  if (isSandboxHost(host)) {
    if (!egress.sandbox)
      throw new AppError('egress_refused', 'connecting to the sandbox: the service operator switched it off')
    const { maxMb: _, ...server } = egress.sandbox
    return {
      ...server,
      stream: () => new Socket(),
      verify: (client, done) => void refuseOtherRole(client, config).then(() => done(), done),
    }
  }
  const ca = ca_certificate === undefined ? {} : { ca: ca_certificate }
  return {
    host,
    port,
    database,
    ssl: mode === 'disable' ? false : { rejectUnauthorized: mode === 'verify-full', ...ca },
    stream: () => egress.socket(socketTarget(config)),
    refusesClearText: sslModeOf(config) === 'prefer',
  }
}

/** A pooler may sign in as the service, which can read everything. */
async function refuseOtherRole(client: pg.PoolClient, { username }: PostgresConfig): Promise<void> {
  const text = 'select $1 = all (array[session_user, current_user]::text[]) as "isSame"'
  const query = { text, values: [username], query_timeout: CHECK_MS } as pg.QueryConfig
  const { rows } = await client.query<{ isSame: boolean }>(query)
  if (rows[0]?.isSame) return
  throw new AppError('not_possible', `the server signs in another role than ${username} to the sandbox`, {
    fix: 'Let DATABASE_URL name the server itself, not a pooler',
  })
}

function addressOf(config: PostgresConfig): TableAddress {
  const { schema, table } = tableOf(config)
  // The names of a sandbox say nothing to people.
  const isSandbox = isSandboxHost(config.host)
  return {
    server: isSandbox ? 'the sandbox' : `${config.host}:${config.port}`,
    database: config.database,
    username: config.username,
    name: isSandbox ? table : config.table_name,
    schema: pg.escapeIdentifier(schema),
    table: `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`,
  }
}
