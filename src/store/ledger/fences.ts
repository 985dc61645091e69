import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** Milliseconds, incremented if the clock stops. Not a counter, because an index outlives a database. */
export const NEXT_FENCE = sql`greatest(value + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint)`

export async function nextFence(db: Database): Promise<number> {
  const { rows } = await sql<{
    value: string
  }>`update fences set value = ${NEXT_FENCE} returning value`.execute(db)
  return Number(rows[0]?.value)
}

const DAY_MS = 24 * 3_600_000

/**
 * Makes later fences higher than one that an index holds. At most a day ahead of the clock: an index belongs to its
 * tenant, and the fences to all.
 */
export async function raiseFence(db: Database, above: number): Promise<void> {
  await sql`
    update fences set value = greatest(value, least(${above}::bigint,
      (extract(epoch from clock_timestamp()) * 1000)::bigint + ${DAY_MS}::bigint))
  `.execute(db)
}
