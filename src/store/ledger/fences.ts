import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** Milliseconds, incremented if the clock stops. Not a counter, because an index outlives a database. */
export async function nextFence(db: Database): Promise<number> {
  const { rows } = await sql<{ value: string }>`
    update fences set value = greatest(value + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint)
    returning value
  `.execute(db)
  return Number(rows[0]?.value)
}
