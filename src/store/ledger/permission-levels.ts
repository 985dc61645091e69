import { sql } from 'kysely'
import type { DocumentRef } from '../../document.ts'
import type { Database } from '../database.ts'

/** The levels of a document in the ledger, with the entries that admit a reader. */
export type LedgerLevels = {
  recordId: string
  /** Names the levels, see `Access.set`. */
  set: string
  ref: Pick<DocumentRef, 'title' | 'space' | 'ancestors' | 'position' | 'locator'>
  /** By clause, only entries that are tokens of the reader. */
  matched: Record<string, string[]>
  asOf: Date
}

export async function permissionLevels(
  db: Database,
  { workflowIds, tokens }: { workflowIds: string[]; tokens: string[] },
  recordIds: string[],
): Promise<LedgerLevels[]> {
  if (workflowIds.length === 0 || recordIds.length === 0) return []
  // Clauses may name thousands of people, so the database filters them.
  const { rows } = await sql<LevelsRow>`
    select w.record_id, s.key, s.as_of, w.ref, (
      select jsonb_object_agg(c.key, (
        select coalesce(jsonb_agg(e), '[]') from jsonb_array_elements_text(c.value) as e where e = any(${tokens}::text[])
      )) from jsonb_each(s.access->'clauses') as c) as matched
    from wanted_documents as w join permission_sets as s on s.id = w.set_id
    where w.workflow_id = any(${workflowIds}::uuid[]) and w.record_id = any(${recordIds}::text[])
  `.execute(db)
  return rows.map(({ record_id: recordId, key, as_of: asOf, ref, matched }) => {
    return { recordId, set: key, ref, matched: matched ?? {}, asOf }
  })
}

type LevelsRow = {
  record_id: string
  key: string
  as_of: Date
  ref: LedgerLevels['ref']
  matched: Record<string, string[]> | null
}
