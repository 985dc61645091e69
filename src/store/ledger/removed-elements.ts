import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { LedgerKey } from './ledgers.ts'

export type RemovedElements = { id: string; recordId: string; elementIds: string[]; fence: number }

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
  const rows = await db
    .selectFrom('removed_elements')
    .select(['id', 'record_id', 'element_ids', 'fence'])
    .where('ledger_id', '=', ledgerId)
    .where('due_at', '<=', sql<Date>`now()`)
    .orderBy('fence')
    .limit(PAGE)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    recordId: row.record_id,
    elementIds: row.element_ids,
    fence: Number(row.fence),
  }))
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
