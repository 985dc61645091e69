import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { WorkflowRow } from './workflows.ts'

/** A workflow whose next run is due, or not known yet. */
type DueWorkflow = Pick<WorkflowRow, 'id' | 'next_run_at' | 'schedule_timezone'> & {
  schedule: string
  now: Date
}

/** Holds due workflows until the transaction ends, so that one process starts each. */
export async function holdDueWorkflows(transaction: Database): Promise<DueWorkflow[]> {
  const { rows } = await sql<DueWorkflow>`
    select id, schedule, schedule_timezone, next_run_at, now() as now from workflows
    where state = 'active' and deleted_at is null and schedule is not null
      and (next_run_at is null or next_run_at <= now())
    order by next_run_at limit 100 for update skip locked
  `.execute(transaction)
  return rows
}

export async function setNextRun(db: Database, id: string, at: Date): Promise<void> {
  await db.updateTable('workflows').set({ next_run_at: at }).where('id', '=', id).execute()
}
