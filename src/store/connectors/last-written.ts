import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** When the last content job into each destination ended; destinations without one are left out. */
export async function lastWrites(db: Database, workspaceId: string): Promise<Map<string, Date>> {
  const { rows } = await sql<{ id: string; at: Date }>`
    select w.destination_id as id, max(last.finished_at) as at from workflows as w cross join lateral (
      select finished_at from jobs
      where workflow_id = w.id and kind = 'content' and status = 'COMPLETED' and finished_at is not null
      order by created_at desc limit 1) as last
    where w.workspace_id = ${workspaceId}::uuid and w.destination_id is not null
    group by w.destination_id
  `.execute(db)
  return new Map(rows.map(({ id, at }) => [id, at]))
}
