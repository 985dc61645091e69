import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { LedgerKey } from './ledgers.ts'

type RemovedElements = { id: string; recordId: string; elementIds: string[]; fence: number }

const PAGE = 1000

/** Workflows with removals to repeat. Those of deleted workflows are dropped after a day. */
export async function workflowsWithDueRemovals(db: Database): Promise<string[]> {
  await sql`
    delete from removed_elements where due_at <= now() and removed_at < now() - interval '25 hours'
  `.execute(db)
  const { rows } = await sql<{ workflow_id: string }>`
    select distinct l.workflow_id from removed_elements as r join ledgers as l on l.id = r.ledger_id
    join workflows as w on w.id = l.workflow_id
    where r.due_at <= now() and w.deleted_at is null
  `.execute(db)
  return rows.map((row) => row.workflow_id)
}

export async function dueRemovals(db: Database, { ledgerId }: LedgerKey): Promise<RemovedElements[]> {
  const { rows } = await sql<RemovedElements>`
    select id, record_id as "recordId", element_ids as "elementIds", fence::double precision as fence
    from removed_elements where ledger_id = ${ledgerId}::uuid and due_at <= now() order by fence limit ${PAGE}
  `.execute(db)
  return rows
}

/** After 2 and 10 minutes, 1, 6 and 24 hours; then a late write is no longer expected. */
export async function postponeRemovals(db: Database, ids: string[]): Promise<void> {
  await sql`delete from removed_elements where id = any(${ids}::bigint[]) and removed_at <= now() - interval '24 hours'`.execute(
    db,
  )
  await sql`
    update removed_elements set due_at = removed_at + case
      when removed_at > now() - interval '10 minutes' then interval '10 minutes'
      when removed_at > now() - interval '1 hour' then interval '1 hour'
      when removed_at > now() - interval '6 hours' then interval '6 hours'
      else interval '24 hours' end
    where id = any(${ids}::bigint[])
  `.execute(db)
}
