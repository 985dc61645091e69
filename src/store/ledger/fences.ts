import { sql } from 'kysely'
import type { Database } from '../database.ts'

/**
 * A number that no earlier task has: the time in milliseconds, pushed on where the clock stood still or went back.
 * A worker that was frozen, or a request that was held up, carries an older one than whoever took over, and loses
 * against it in the ledger and in the index. Time rather than a plain count, since an index outlives a database.
 */
export async function nextFence(db: Database): Promise<number> {
  const { rows } = await sql<{ value: string }>`
    update fences set value = greatest(value + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint)
    returning value
  `.execute(db)
  return Number(rows[0]?.value)
}
