import { sql } from 'kysely'
import type { PlacedDocument, StoredLevel } from '../../permissions/levels.ts'
import type { Database } from '../database.ts'

/** The levels of a document in the ledger, with the entries that admit a reader. */
export type LedgerLevels = {
  recordId: string
  ref: PlacedDocument
  /** Only with tokens of the reader. */
  levels: StoredLevel[]
  asOf: Date
}

export async function permissionLevels(
  db: Database,
  { workflowIds, tokens }: { workflowIds: string[]; tokens: string[] },
  recordIds: string[],
): Promise<LedgerLevels[]> {
  if (workflowIds.length === 0 || recordIds.length === 0) return []
  // Levels may name thousands of people, so the database filters them.
  const { rows } = await sql<LedgerLevels>`
    select w.record_id as "recordId", s.as_of as "asOf", w.ref, coalesce((
      select jsonb_agg(case when l.level->'who' = 'null' then l.level else l.level || jsonb_build_object('who', (
        select coalesce(jsonb_agg(e), '[]') from jsonb_array_elements_text(l.level->'who') as e
        where e = any(${tokens}::text[])
      )) end order by l.at)
      from jsonb_array_elements(s.access->'levels') with ordinality as l(level, at)), '[]') as levels
    from wanted_documents as w join permission_sets as s on s.id = w.set_id
    where w.workflow_id = any(${workflowIds}::uuid[]) and w.record_id = any(${recordIds}::text[])
  `.execute(db)
  return rows
}
