import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** The streams of a process that sent no renewal for this time count no longer. */
const SILENT = '30 seconds'

type StreamCount = { name: string; open: number }

/** Records the streams of this process, if those of all processes are within the limits; else the name that is not. */
export function recordOpened(
  db: Database,
  { process, streams }: { process: string; streams: (StreamCount & { max: number })[] },
): Promise<string | null> {
  return db.transaction().execute(async (transaction) => {
    for (const { name } of streams.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      await sql`select pg_advisory_xact_lock(hashtextextended(${`streams of ${name}`}, 0))`.execute(
        transaction,
      )
    const { rows } = await sql<{ name: string; open: number }>`
      select name, sum(open)::int as open from open_streams
      where name = any(${streams.map(({ name }) => name)}) and process <> ${process}::uuid
        and seen_at > clock_timestamp() - ${SILENT}::interval
      group by name
    `.execute(transaction)
    const others = new Map(rows.map(({ name, open }) => [name, open]))
    const over = streams.find(({ name, open, max }) => open + (others.get(name) ?? 0) > max)
    if (over) return over.name
    await recordStreams(transaction, process, streams)
    return null
  })
}

/** The streams that this process has open now; a count of zero removes the entry. */
export async function recordStreams(db: Database, process: string, streams: StreamCount[]): Promise<void> {
  const [open, closed] = [streams.filter((each) => each.open > 0), streams.filter((each) => each.open === 0)]
  if (closed.length > 0)
    await sql`
      delete from open_streams where process = ${process}::uuid and name = any(${closed.map(({ name }) => name)})
    `.execute(db)
  if (open.length === 0) return
  await sql`
    insert into open_streams (process, name, open, seen_at)
    select ${process}::uuid, d.name, d.open, clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(open)}::jsonb) as d(name text, open integer)
    on conflict (name, process) do update set open = excluded.open, seen_at = excluded.seen_at
  `.execute(db)
}

export async function forgetStreams(db: Database, process: string): Promise<void> {
  await sql`delete from open_streams where process = ${process}::uuid`.execute(db)
}
