import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { BaseLogger } from 'pino'
import { AppError } from '../errors.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>

export type DatabaseOptions = {
  /** PostgreSQL allows 100 connections for all processes by default. */
  max?: number
  /** Shown in pg_stat_activity. */
  applicationName?: string
  log?: Pick<BaseLogger, 'warn'>
}

/** Connects on first use. node-postgres returns `bigint` and `numeric` as strings. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'millrace',
    connectionTimeoutMillis: 10_000,
    // Queries take less than a second; one of a minute is stuck and blocks others.
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  })
  // Without a listener, a lost idle connection would end the process; the pool replaces it.
  pool.on('error', (error) => options.log?.warn({ err: error }, 'lost an idle database connection'))
  // The same for connections in use; the running query reports the failure.
  pool.on('connect', (client) => client.on('error', () => {}))
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
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
