import { sql } from 'kysely'
import type { ConnectorRow } from '../connectors/connectors.ts'
import type { Database } from '../database.ts'

/** Documents with elements in a destination, by the ledger. Jobs remember the destination of deleted workflows. */
export async function documentsWritten(db: Database, { id, workspace_id }: ConnectorRow): Promise<number> {
  const { rows } = await sql<{ documents: number }>`
    select count(distinct record_id)::integer as documents from documents
    where cardinality(element_ids) > 0 and ledger_id in (
      select ledger_id from workflows where destination_id = ${id}::uuid or id in (
        select workflow_id from jobs
        where workspace_id = ${workspace_id}::uuid and settings->>'destination_id' = ${id}::text
      )
    )
  `.execute(db)
  return rows[0]?.documents ?? 0
}
