import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { lockWanted } from './wanted.ts'

/** Documents that one statement hides. */
const BATCH = 10_000

/**
 * Hides all documents of a workflow until a listing shows them: another site or account has proved their permissions.
 * Call it in a transaction. A permission pass follows.
 */
export async function forgetProofs(transaction: Database, workflowId: string): Promise<void> {
  await lockWanted(transaction, workflowId)
  for (let after: string | null = ''; after !== null; ) {
    const { rows } = await sql<{ last: string | null }>`
      with page as (
        select record_id from wanted_documents where workflow_id = ${workflowId}::uuid and record_id > ${after}
        order by record_id limit ${BATCH}
      ), hidden as (
        update wanted_documents set hidden = 'unproved', needs_permission_write = true
        where workflow_id = ${workflowId}::uuid and record_id in (select record_id from page) and hidden is null
      )
      select max(record_id) as last from page
    `.execute(transaction)
    after = rows[0]?.last ?? null
  }
  await sql`update workflow_scopes set proved_at = null where workflow_id = ${workflowId}::uuid`.execute(
    transaction,
  )
  await sql`update workflows set pass_requested = true, estimate = null where id = ${workflowId}::uuid`.execute(
    transaction,
  )
}
