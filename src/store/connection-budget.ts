import { sql } from 'kysely'
import type { Database } from './database.ts'

/** Connections of a process by pool, next to what the server allows to all processes. */
type ConnectionBudget = {
  connections: Record<string, number>
  max_connections: number
  /** How many processes of this size the server has room for. */
  processes: number
}

/** A rolling update of an API and a worker needs this many. */
const EXPECTED_PROCESSES = 3

export async function connectionBudget(
  db: Database,
  connections: Record<string, number>,
): Promise<ConnectionBudget> {
  const { rows } = await sql<{ max: number; reserved: number }>`
    select current_setting('max_connections')::int as max,
      current_setting('superuser_reserved_connections')::int as reserved
  `.execute(db)
  const { max = 0, reserved = 0 } = rows[0] ?? {}
  const own = Object.values(connections).reduce((sum, count) => sum + count, 0)
  return { connections, max_connections: max, processes: Math.floor((max - reserved) / own) }
}

/** Null if the server has room for a few processes of this size. */
export function budgetWarning({ connections, processes, ...budget }: ConnectionBudget): string | null {
  if (processes >= EXPECTED_PROCESSES) return null
  const own = Object.values(connections).reduce((sum, count) => sum + count, 0)
  return (
    `PostgreSQL allows ${budget.max_connections} connections, room for ${processes} processes with ${own} each; ` +
    'raise max_connections or lower MILLRACE_DATABASE_CONNECTIONS'
  )
}
