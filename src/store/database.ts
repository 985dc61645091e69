import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { BaseLogger } from 'pino'
import { AppError } from '../errors.ts'
import { isQueryTimeout } from './database-problem.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>

type DatabaseOptions = {
  /** PostgreSQL allows 100 connections for all processes by default. */
  max?: number
  /** Shown in pg_stat_activity. */
  applicationName?: string
  log?: Pick<BaseLogger, 'warn'>
}

/** For a connection that is open but silent; longer than PostgreSQL's own limit of a minute. */
export const QUERY_TIMEOUT_MS = 65_000

/** A request waits this long for a free connection, less than the minute after which proxies give up. */
const WAIT_MS = 30_000
const CONNECT_MS = 10_000

/** The pool passes its own limit, which also covers the wait for a free connection. */
class QuickClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS })
  }
}

const pools = new WeakMap<Database, pg.Pool>()

/** Connections of a pool, and requests that wait for one. */
export type PoolUse = { max: number; used: number; idle: number; waiting: number }

export function databasePoolUse(db: Database): PoolUse | null {
  const pool = pools.get(db)
  return pool ? poolUse(pool) : null
}

export function poolUse(pool: pg.Pool): PoolUse {
  const { totalCount, idleCount: idle, waitingCount: waiting, options } = pool
  return { max: options.max, used: totalCount - idle, idle, waiting }
}

/** Connects on first use. node-postgres returns `bigint` and `numeric` as strings. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'millrace',
    connectionTimeoutMillis: WAIT_MS,
    Client: QuickClient,
    // Queries take less than a second; one of a minute is stuck and blocks others.
    statement_timeout: 60_000,
    query_timeout: QUERY_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  })
  // Without a listener, a lost idle connection would end the process; the pool replaces it.
  pool.on('error', (error) => options.log?.warn({ err: error }, 'lost an idle database connection'))
  pool.on('connect', (client) => {
    // The same for connections in use; the running query reports the failure.
    client.on('error', () => {})
    endIfSilent(client)
  })
  const db: Database = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  pools.set(db, pool)
  return db
}

/** Joins a transaction that is already open. */
export function inTransaction<T>(db: Database, work: (transaction: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}

type QueryConfig = { text: string; values?: unknown[]; query_timeout: number }
type Query = (query: string | QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>

/** The longest time of a timer, 24 days; 0 would mean the limit of the connection. */
const NO_LIMIT_MS = 2 ** 31 - 1

/** Whether the session or its transaction lifted PostgreSQL's limit: then the driver must wait as well. */
function followLimit(): (text: string) => boolean {
  let [session, local] = [false, false]
  return (text) => {
    if (text === 'set statement_timeout = 0') session = true
    if (text === 'reset statement_timeout') session = false
    if (text === 'set local statement_timeout = 0') local = true
    if (text === 'commit' || text === 'rollback') local = false
    return session || local
  }
}

/** The driver returns a connection whose query timed out to the pool, where the next query would wait too. */
function endIfSilent(client: pg.PoolClient): void {
  const query = client.query.bind(client) as Query
  const isLifted = followLimit()
  const watched = async (text: string, values?: unknown[]) => {
    try {
      if (!isLifted(text)) return await query(text, values)
      return await query({ text, ...(values ? { values } : {}), query_timeout: NO_LIMIT_MS })
    } catch (error) {
      // The type of a pooled client leaves `end` out.
      if (error instanceof Error && isQueryTimeout(error)) void (client as unknown as pg.Client).end()
      throw error
    }
  }
  // Kysely uses no other signature.
  client.query = watched as typeof client.query
}

/** Fails at start if the database cannot be used. */
export async function reachDatabase(db: Database): Promise<void> {
  try {
    await sql`select 1`.execute(db)
  } catch (cause) {
    throw new AppError('internal', 'reaching the database', {
      cause,
      fix: 'Check that PostgreSQL runs, and check host, port, user, password and name in DATABASE_URL',
    })
  }
}

/** Waits for running queries. */
export function closeDatabase(db: Database): Promise<void> {
  return db.destroy()
}
