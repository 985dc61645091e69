import { sql } from 'kysely'
import type { Database } from './database.ts'

/** Which ledger a run writes; the first process to decide says which. */
export async function pinLedger(db: Database, jobId: string, ledgerId: string): Promise<string> {
  const row = await db
    .updateTable('jobs')
    .set({ ledger_id: sql`coalesce(ledger_id, ${ledgerId}::uuid)` })
    .where('id', '=', jobId)
    .returning('ledger_id')
    .executeTakeFirst()
  return row?.ledger_id ?? ledgerId
}

export async function openLedger(db: Database, ledger: { id: string; workflowId: string }): Promise<void> {
  await db
    .insertInto('ledgers')
    .values({ id: ledger.id, workflow_id: ledger.workflowId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Ledgers of runs that never took the place of the workflow's, because they failed or were stopped. */
export async function abandonedLedgers(db: Database, workflowId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('ledgers')
    .select('id')
    .where('workflow_id', '=', workflowId)
    .where('id', '!=', workflowId)
    .execute()
  return rows.map((row) => row.id)
}

export async function dropLedger(db: Database, id: string): Promise<void> {
  await db.deleteFrom('ledgers').where('id', '=', id).execute()
}

/** What the run's ledger says is what the workflow's index holds from now on. Done twice, it changes nothing more. */
export async function promoteLedger(
  db: Database,
  { jobId, workflowId }: { jobId: string; workflowId: string },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const taken = await transaction
      .selectFrom('ledgers')
      .select('id')
      .where('id', '=', jobId)
      .forUpdate()
      .executeTakeFirst()
    if (!taken) return
    await transaction.deleteFrom('documents').where('ledger_id', '=', workflowId).execute()
    await transaction
      .updateTable('documents')
      .set({ ledger_id: workflowId })
      .where('ledger_id', '=', jobId)
      .execute()
    await transaction.deleteFrom('ledgers').where('id', '=', jobId).execute()
  })
}

/** Whether anything was written with other settings, so that all of it has to be worked again. */
export async function hasOtherSettings(
  db: Database,
  ledgerId: string,
  settingsHash: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('documents')
    .select('record_id')
    .where('ledger_id', '=', ledgerId)
    .where('settings_hash', '!=', settingsHash)
    .where('settings_hash', '!=', '')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Documents of one ledger that another does not have. */
export async function countLeft(db: Database, from: string, to: string): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from documents d where d.ledger_id = ${from}::uuid and d.skipped is null
    and not exists (select from documents n where n.ledger_id = ${to}::uuid and n.record_id = d.record_id)
  `.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** How many elements a ledger says are in its index. */
export async function countElements(db: Database, ledgerId: string): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select coalesce(sum(cardinality(element_ids)), 0) as count from documents where ledger_id = ${ledgerId}::uuid
  `.execute(db)
  return Number(rows[0]?.count ?? 0)
}
