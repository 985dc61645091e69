import { sql } from 'kysely'
import { siteOfRecord } from '../../record-id.ts'
import type { Database } from '../database.ts'
import { writesIndexOf } from '../ledger/ledgers.ts'

/**
 * The sites in a destination's index, of deleted workflows too. The first and last record of a workflow show its site
 * without a scan.
 */
export async function sitesIn(db: Database, destinationId: string): Promise<string[]> {
  const { rows } = await sql<{ record_id: string }>`
    select ends.record_id from workflows as w cross join lateral (
      (select record_id from documents where ledger_id = w.ledger_id order by record_id limit 1)
      union all
      (select record_id from documents where ledger_id = w.ledger_id order by record_id desc limit 1)
    ) as ends
    where w.destination_id = ${destinationId}::uuid or ${writesIndexOf([destinationId])}
  `.execute(db)
  return [...new Set(rows.map((row) => siteOfRecord(row.record_id)))].sort()
}

/** The sites that a source has had, by what was read from it. */
export async function sitesOf(
  db: Database,
  { workflowIds, sourceId }: { workflowIds: string[]; sourceId: string },
): Promise<string[]> {
  const { rows } = await sql<{ record_id: string }>`
    select ends.record_id from unnest(${workflowIds}::uuid[]) as w(id) cross join lateral (
      (select record_id from wanted_documents where workflow_id = w.id order by record_id limit 1)
      union all
      (select record_id from wanted_documents where workflow_id = w.id order by record_id desc limit 1)
    ) as ends
  `.execute(db)
  const asked = await sql<{ site: string }>`
    select distinct known->'site'->>'name' as site from memberships where source_id = ${sourceId}::uuid
  `.execute(db)
  return [
    ...new Set([...rows.map((row) => siteOfRecord(row.record_id)), ...asked.rows.map(({ site }) => site)]),
  ]
}
