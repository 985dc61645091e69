import { sql } from 'kysely'
import type { Database } from '../../store/database.ts'

/** Tasks that could run now, and how long the oldest has waited. */
type QueueAge = { queue: string; waiting: number; oldestSeconds: number }
type WorkspaceAge = { workspace: string; oldestSeconds: number }

/** A label per workspace has to be bounded. */
const MAX_WORKSPACES = 20

const waiting = sql`state in ('created', 'retry') and start_after <= now() and not blocked`
const age = sql`greatest(0, extract(epoch from max(now() - greatest(created_on, start_after))))::double precision`

export async function queueAges(db: Database): Promise<QueueAge[]> {
  const { rows } = await sql<QueueAge>`
    select name as queue, count(*)::int as waiting, ${age} as "oldestSeconds"
    from pgboss.job where ${waiting} and name not like '\\_\\_%' group by name
  `.execute(db)
  return rows
}

/** The workspaces that have waited longest, and how many wait at all. */
export async function workspaceAges(db: Database): Promise<{ workspaces: number; longest: WorkspaceAge[] }> {
  const { rows } = await sql<WorkspaceAge & { workspaces: number }>`
    select w.name as workspace, ages.oldest as "oldestSeconds", (count(*) over ())::int as workspaces
    from (select group_id, ${age} as oldest from pgboss.job
      where ${waiting} and group_id is not null group by group_id) as ages
    join workspaces as w on w.id::text = ages.group_id
    order by ages.oldest desc, w.name limit ${MAX_WORKSPACES}
  `.execute(db)
  return {
    workspaces: rows[0]?.workspaces ?? 0,
    longest: rows.map(({ workspace, oldestSeconds }) => ({ workspace, oldestSeconds })),
  }
}
