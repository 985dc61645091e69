import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { within } from '../../concurrency.ts'
import type { Database } from '../database.ts'
import { grantedOf, type LimitCounts } from './counts.ts'
import { memoryCounts } from './memory-counts.ts'

/** A slow database delays the count of a request by this at most; the request itself waits for it too. */
const MAX_WAIT_MS = 5_000
/** How long the process counts for itself after that. */
const LOCAL_MS = 5_000

/** Counts of all processes; while the database does not answer, each process counts for itself. */
export function sharedCounts(db: Database): LimitCounts {
  const shared = databaseCounts(db)
  const local = memoryCounts()
  let localUntil = 0

  async function orLocally<T>(work: (counts: LimitCounts) => Promise<T>): Promise<T> {
    if (performance.now() < localUntil) return work(local)
    const result = await within(
      work(shared).then((value) => ({ value })),
      MAX_WAIT_MS,
    ).catch(() => null)
    if (result) return result.value
    localUntil = performance.now() + LOCAL_MS
    return work(local)
  }
  return {
    take: async (name, wanted, limit) => {
      const taken = await orLocally((counts) => counts.take(name, wanted, limit))
      // So that the process goes on from here if the database stops answering.
      if (performance.now() >= localUntil) local.learn(name, taken)
      return taken
    },
    undo: (name) => orLocally((counts) => counts.undo(name)),
    reset: async (name) => {
      await local.reset(name)
      await orLocally((counts) => counts.reset(name))
    },
  }
}

function databaseCounts(db: Database): LimitCounts {
  return {
    async take(name, wanted, { max, windowMs }) {
      const key = keyOf(name)
      const { rows } = await sql<{ taken: number; left_ms: number; counted: boolean }>`
        with counted as (
          insert into shared_counts as c (name, taken, ends_at)
          values (${key}, ${wanted}::int, clock_timestamp() + ${windowMs} * interval '1 millisecond')
          on conflict (name) do update set
            taken = excluded.taken + case when c.ends_at <= clock_timestamp() then 0 else c.taken end,
            ends_at = case when c.ends_at <= clock_timestamp() then excluded.ends_at else c.ends_at end
          where c.ends_at <= clock_timestamp() or c.taken < ${max}::int
          returning taken, ends_at
        ),
        known as (
          select taken, ends_at, true as counted from counted
          union all
          select taken, ends_at, false from shared_counts where name = ${key} and not exists (select from counted)
        )
        select taken, counted,
          (greatest(0, extract(epoch from ends_at - clock_timestamp())) * 1000)::double precision as left_ms
        from known
      `.execute(db)
      const { taken = max, left_ms: leftMs = windowMs, counted = false } = rows[0] ?? {}
      return { granted: counted ? grantedOf(wanted, taken, max) : 0, taken, leftMs }
    },
    async undo(name) {
      await sql`update shared_counts set taken = taken - 1 where name = ${keyOf(name)} and taken > 0`.execute(
        db,
      )
    },
    async reset(name) {
      await sql`delete from shared_counts where name = ${keyOf(name)}`.execute(db)
    },
  }
}

export async function pruneCounts(db: Database): Promise<void> {
  await sql`delete from shared_counts where ends_at < now()`.execute(db)
  await sql`delete from open_streams where seen_at < now() - interval '1 hour'`.execute(db)
}

function keyOf(name: string): string {
  return hash('sha256', name, 'base64url')
}
