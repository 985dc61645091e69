import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { BaseLogger } from 'pino'
import { AppError } from '../errors.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>

export type DatabaseOptions = {
  /** Connections at most; PostgreSQL has 100 for all processes together unless told otherwise. */
  max?: number
  /** Shown in pg_stat_activity, so that an operator sees who holds what. */
  applicationName?: string
  log?: Pick<BaseLogger, 'warn'>
}

/** Connects on first use. `bigint` and `numeric` arrive as strings, as node-postgres has them. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'millrace',
    connectionTimeoutMillis: 10_000,
    // No query of ours takes a second; one that takes a minute is stuck, and so is what waits for its locks.
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  })
  // An idle connection that is lost is an event, and without a listener it would end the process. The pool
  // has already dropped it and makes a new one for the next query.
  pool.on('error', (error) => options.log?.warn({ err: error }, 'lost an idle database connection'))
  // Nor may one end it that is lost while somebody has it: whoever waits for its answer is told by that.
  pool.on('connect', (client) => client.on('error', () => {}))
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}

/** A database that cannot be used is found at start, and said in words. */
export async function reachDatabase(db: Database): Promise<void> {
  try {
    await sql`select 1`.execute(db)
  } catch (cause) {
    throw new AppError('internal', 'reaching the database', {
      cause,
      fix: 'Check that PostgreSQL runs, and host, port, user, password and name in DATABASE_URL',
    })
  }
}

/** Waits for queries under way. */
export function closeDatabase(db: Database): Promise<void> {
  return db.destroy()
}
