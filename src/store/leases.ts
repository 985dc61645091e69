import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { AppError } from '../errors.ts'
import type { Database } from './database.ts'

/** `transaction` refuses to begin once another process has the lease. */
export type Lease = {
  transaction<T>(work: (transaction: Database) => Promise<T>): Promise<T>
}

type LeaseOptions = {
  name: string
  /** What the other process does, for the error after `waitMs`. */
  busy: string
  waitMs?: number
}

/** A dead process blocks others this long; a live one renews three times meanwhile. */
export const LEASE_MS = 45_000
const RENEW_MS = LEASE_MS / 3
const POLL_MS = 250
const WAIT_MS = 120_000

/** Runs the work in one process at a time. Holds no database connection meanwhile. */
export async function withLease<T>(
  db: Database,
  { name, busy, waitMs = WAIT_MS }: LeaseOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const owner = randomUUID()
  const end = performance.now() + waitMs
  while (!(await take(db, { name, owner }))) {
    if (performance.now() > end)
      throw new AppError('destination_overloaded', busy, { fix: 'Try again in a few minutes' })
    await sleep(POLL_MS)
  }
  const timer = setInterval(() => void take(db, { name, owner, renews: true }).catch(() => {}), RENEW_MS)
  timer.unref()
  try {
    return await work({ transaction: (inner) => withinLease(db, { name, owner }, inner) })
  } finally {
    clearInterval(timer)
    // Otherwise it expires.
    await sql`delete from leases where name = ${name} and owner = ${owner}::uuid`.execute(db).catch(() => {})
  }
}

type Holder = { name: string; owner: string }

/** Skips a locked row: its owner is in a transaction, so the lease is neither free nor lost. */
async function take(db: Database, { name, owner, renews }: Holder & { renews?: true }): Promise<boolean> {
  const until = sql`clock_timestamp() + ${LEASE_MS}::double precision * interval '1 millisecond'`
  const mayTake = renews ? sql`owner = ${owner}::uuid` : sql`until < clock_timestamp()`
  if (!renews) {
    const { rows } = await sql`
      insert into leases (name, owner, until) values (${name}, ${owner}::uuid, ${until})
      on conflict do nothing returning name
    `.execute(db)
    if (rows.length > 0) return true
  }
  const { rows } = await sql`
    update leases set owner = ${owner}::uuid, until = ${until}
    where name = (select name from leases where name = ${name} and ${mayTake} for update skip locked)
    returning name
  `.execute(db)
  return rows.length > 0
}

/** The row lock keeps others from taking the lease over meanwhile. An expired lease that no one took is still held. */
async function withinLease<T>(
  db: Database,
  { name, owner }: Holder,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql`
      select from leases where name = ${name} and owner = ${owner}::uuid for update
    `.execute(transaction)
    if (rows.length === 0)
      throw new AppError('destination_overloaded', 'this process lost its lease to another one', {
        fix: 'Try again',
      })
    return work(transaction)
  })
}
