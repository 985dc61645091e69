import { sql } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Database } from '../database.ts'

/**
 * One process per workflow. Keepalives release the lock of a lost machine after a minute. `work` must use the
 * given connection, or waiting processes exhaust the pool.
 */
export async function withWorkflowLock<T>(
  db: Database,
  workflowId: string,
  work: (locked: Database) => Promise<T>,
): Promise<T> {
  const key = sql`hashtextextended(${`swap:${workflowId}`}, 0)`
  return db.connection().execute(async (connection) => {
    await sql`
      select set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false),
             set_config('tcp_keepalives_count', '3', false)
    `.execute(connection)
    try {
      await sql`select pg_advisory_lock(${key})`.execute(connection).catch(throwLockError)
      try {
        return await work(connection)
      } finally {
        await sql`select pg_advisory_unlock(${key})`.execute(connection).catch(() => {}) // lost with its connection
      }
    } finally {
      await sql`
        select set_config(name, reset_val, false) from pg_settings
        where name in ('tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count')
      `
        .execute(connection)
        .catch(() => {})
    }
  })
}

/** The codes with which PostgreSQL ends a wait. */
const LOCK_TIMEOUTS = ['57014', '55P03']

function throwLockError(error: { code?: string }): never {
  if (!LOCK_TIMEOUTS.includes(error.code ?? '')) throw error
  throw new AppError('destination_overloaded', 'another process is swapping or cleaning up this index', {
    cause: error,
    fix: 'Try again in a few minutes',
  })
}
