import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** Leases of processes that died are free after this time. */
const LEASE = '15 seconds'

type Lease = { process: string; wanted: number; granted: number }
type SitePause = { reason: string; leftMs: number }

/** Divides the requests to a site between the processes that use this database. */
export function databasePace(db: Database) {
  const process = randomUUID()
  return {
    lease: (site: string, { wanted, max }: { wanted: number; max: number }) =>
      db.transaction().execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(${`requests to ${site}`}, 0))`.execute(
          transaction,
        )
        const { rows: dropped } = await sql<{ process: string }>`
          delete from site_leases
          where site = ${site} and (process = ${process}::uuid or seen_at < clock_timestamp() - ${LEASE}::interval)
          returning process
        `.execute(transaction)
        const isNew = dropped.every((lease) => lease.process !== process)
        const { rows: others } = await sql<Lease>`
          select process, wanted, granted from site_leases where site = ${site}
        `.execute(transaction)
        const limit = grantOf({ wanted, max, isNew }, others)
        await sql`
          insert into site_leases (site, process, wanted, granted, seen_at)
          values (${site}, ${process}::uuid, ${wanted}, ${limit}, clock_timestamp())
        `.execute(transaction)
        return { limit, pause: await readPause(transaction, site) }
      }),
    pause: async (site: string, { reason, leftMs }: SitePause): Promise<void> => {
      await sql`
        insert into site_pauses as p (site, reason, until)
        values (${site}, ${reason}, clock_timestamp() + ${leftMs} * interval '1 millisecond')
        on conflict (site) do update set reason = excluded.reason, until = excluded.until
        where p.until < excluded.until
      `.execute(db)
    },
  }
}

/** A new process may start with these above the limit, until the others renew their leases. */
const FIRST = 2

/** A fair part of `max`, as far as the others have released it; they lower theirs when they renew. */
function grantOf({ wanted, max, isNew }: { wanted: number; max: number; isNew: boolean }, others: Lease[]) {
  const limit = isNew ? max + FIRST : max
  const free = limit - others.reduce((sum, lease) => sum + lease.granted, 0)
  return Math.max(0, Math.min(fairPart(wanted, others, max), free))
}

/** Processes that want little leave the rest to the others. */
function fairPart(wanted: number, others: Lease[], max: number): number {
  const smaller = others.filter((lease) => lease.wanted < wanted).toSorted((a, b) => a.wanted - b.wanted)
  let [left, processes] = [max, others.length + 1]
  for (const lease of smaller) {
    left -= Math.min(lease.wanted, Math.floor(left / processes))
    processes--
  }
  return Math.min(wanted, Math.max(1, Math.floor(left / processes)))
}

async function readPause(db: Database, site: string): Promise<SitePause | null> {
  const { rows } = await sql<SitePause>`
    select reason, ceil(extract(epoch from until - clock_timestamp()) * 1000)::float8 as "leftMs"
    from site_pauses where site = ${site} and until > clock_timestamp()
  `.execute(db)
  return rows[0] ?? null
}
