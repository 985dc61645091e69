import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { searchedLedgers } from './ledgers.ts'

/** The element ids of documents in reading order, as last written by one of the workflows. */
export async function readingOrder(
  db: Database,
  workflowIds: string[],
  recordIds: string[],
): Promise<Map<string, string[]>> {
  const ids = recordIds.filter((id) => !id.includes('\0'))
  if (workflowIds.length === 0 || ids.length === 0) return new Map()
  const { rows } = await sql<{ record_id: string; element_ids: string[] }>`
    select distinct on (record_id) record_id, element_ids from documents
    where ledger_id = ${searchedLedgers(workflowIds)} and record_id = any(${ids}::text[])
      and cardinality(element_ids) > 0
    order by record_id, settled desc, updated_at desc
  `.execute(db)
  return new Map(rows.map((row) => [row.record_id, row.element_ids]))
}
