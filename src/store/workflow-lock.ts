import { sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * One at a time for each workflow, on all machines. The lock is a connection's: it ends with the process that holds it.
 * What is done inside asks through the connection it is given, so that those who wait never hold what it needs.
 */
export async function withWorkflowLock<T>(
  db: Database,
  workflowId: string,
  work: (locked: Database) => Promise<T>,
): Promise<T> {
  const key = sql`hashtextextended(${`swap:${workflowId}`}, 0)`
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${key})`.execute(connection)
    try {
      return await work(connection)
    } finally {
      await sql`select pg_advisory_unlock(${key})`.execute(connection).catch(() => {}) // lost with its connection
    }
  })
}
