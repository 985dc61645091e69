import { sql } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Database } from '../database.ts'

/**
 * One at a time for each workflow, on all machines. The lock is a connection's: it ends with the process that holds it,
 * and a minute after a machine that was lost without a word, where the system would wait two hours.
 * What is done inside asks through the connection it is given, so that those who wait never hold what it needs.
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
      await sql`select pg_advisory_lock(${key})`.execute(connection).catch(inWords)
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

/** Of the two ways in which PostgreSQL ends a wait. */
const WAITED_TOO_LONG = ['57014', '55P03']

function inWords(error: { code?: string }): never {
  if (!WAITED_TOO_LONG.includes(error.code ?? '')) throw error
  throw new AppError('destination_overloaded', 'another process is moving or clearing up this index', {
    cause: error,
    fix: 'Try again in a few minutes',
  })
}
