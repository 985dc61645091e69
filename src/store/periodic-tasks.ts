import { sql } from 'kysely'
import type { Database } from './database.ts'

/** Runs the work in one process, if it last began longer than `everyMs` ago. A failed run is due at once. */
export async function runIfDue(
  db: Database,
  { name, everyMs }: { name: string; everyMs: number },
  work: () => Promise<void>,
): Promise<boolean> {
  const { rows } = await sql`
    insert into periodic_tasks as p (name, began_at) values (${name}, now())
    on conflict (name) do update set began_at = now()
    where p.began_at <= now() - ${everyMs}::double precision * interval '1 millisecond'
    returning name
  `.execute(db)
  if (rows.length === 0) return false
  try {
    await work()
  } catch (error) {
    await sql`delete from periodic_tasks where name = ${name}`.execute(db)
    throw error
  }
  return true
}
