import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { recordRemoved } from '../jobs/job-documents.ts'
import { addRemoved } from '../jobs/jobs.ts'
import { searchedLedger, searchedLedgers } from './ledgers.ts'

/** A document of a ledger that is being removed; `fence` is that of its last write. */
export type LeavingDocument = {
  recordId: string
  scope: string
  elementIds: string[]
  isSkipped: boolean
  fence: number
}

const PAGE = 500

/** The next documents to remove; none once the ledger is empty. */
export async function leavingDocuments(db: Database, workflowId: string): Promise<LeavingDocument[]> {
  const { rows } = await sql<LeavingDocument>`
    select record_id as "recordId", scope, element_ids as "elementIds", skipped is not null as "isSkipped",
      fence::double precision as fence
    from documents where ledger_id = ${searchedLedger(workflowId)} order by record_id limit ${PAGE}
  `.execute(db)
  return rows
}

/** Drops documents that left the index; those written meanwhile stay for the next page. */
export async function dropLeft(
  db: Database,
  { jobId, workflowId, counted }: { jobId: string; workflowId: string; counted: boolean },
  documents: LeavingDocument[],
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const keys = documents.map(({ recordId, fence }) => ({ record_id: recordId, fence }))
    const { rows } = await sql<{ record_id: string }>`
      delete from documents as d using jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as k(record_id text, fence bigint)
      where d.ledger_id = ${searchedLedger(workflowId)} and d.record_id = k.record_id and d.fence = k.fence
      returning d.record_id
    `.execute(transaction)
    if (!counted) return
    const dropped = new Set(rows.map((row) => row.record_id))
    const removed = documents
      .filter(({ recordId, isSkipped }) => dropped.has(recordId) && !isSkipped)
      .map(({ recordId, scope, elementIds }) => ({ recordId, scope, elements: elementIds.length }))
    await recordRemoved(transaction, jobId, removed)
    await addRemoved(transaction, jobId, removed.length)
  })
}

/** Deleted workflows of this target whose removal ended before their ledger was empty. */
export async function unfinishedRemovals(
  db: Database,
  { workspaceId, target }: { workspaceId: string; target: string },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select w.id from workflows as w
    where w.workspace_id = ${workspaceId}::uuid and w.target = ${target} and w.deleted_at is not null
      and exists (select from documents as d where d.ledger_id = w.ledger_id)
      and exists (select from jobs as j where j.workflow_id = w.id and j.settings ? 'remove_elements')
      and not exists (
        select from jobs as j where j.workflow_id = w.id and j.status in ('SCHEDULED', 'IN_PROGRESS')
      )
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** The successor writes these documents again: some of their elements may be gone. */
export async function takeOverUnfinished(db: Database, fromIds: string[], toId: string): Promise<void> {
  if (fromIds.length === 0) return
  await sql`
    with left_over as (delete from documents where ledger_id = ${searchedLedgers(fromIds)} returning *)
    insert into documents as known (ledger_id, record_id, scope, position, locator, version, state_hash, settings_hash,
                           element_ids, settled, skipped, access_hash, metadata_hash, fence)
    select distinct on (record_id) ${searchedLedger(toId)}, record_id, scope, position, locator, version, state_hash,
           settings_hash, element_ids, false, skipped, null, null, fence
    from left_over order by record_id, updated_at desc
    on conflict (ledger_id, record_id) do update set settled = false,
      element_ids = array(select distinct unnest(known.element_ids || excluded.element_ids))
  `.execute(db)
}
