import { sql } from 'kysely'
import type { PlacedDocument, StoredLevel } from '../../permissions/levels.ts'
import type { Database } from '../database.ts'
import type { HiddenReason } from '../schema.ts'

/** The levels of a document by one ledger, with all that they name. */
export type DocumentLevels = {
  workflowId: string
  recordId: string
  ref: PlacedDocument
  levels: StoredLevel[]
  hidden: HiddenReason | null
  /** When reading of the scope's permissions began; null if it never reached the end. */
  provedAt: Date | null
  /** When these permissions were read last. */
  asOf: Date
}

export async function documentLevels(
  db: Database,
  workflowIds: string[],
  recordIds: string[],
): Promise<DocumentLevels[]> {
  if (workflowIds.length === 0 || recordIds.length === 0) return []
  type Row = Omit<DocumentLevels, 'levels'> & { setId: string; levels: StoredLevel[] | null }
  const { rows } = await sql<Row>`
    select w.workflow_id as "workflowId", w.record_id as "recordId", w.set_id as "setId", w.ref, w.hidden,
      p.proved_at as "provedAt", greatest(s.as_of, p.proved_at, w.relisted_at) as "asOf",
      case when row_number() over (partition by w.set_id) = 1 then s.access->'levels' end as levels
    from wanted_documents as w join permission_sets as s on s.id = w.set_id
    left join workflow_scopes as p on p.workflow_id = w.workflow_id and p.scope = w.scope
    where w.workflow_id = any(${workflowIds}::uuid[]) and w.record_id = any(${recordIds}::text[])
    order by w.record_id, w.workflow_id
  `.execute(db)
  // Documents share sets, and the levels of a set may be long: they come once.
  const sets = new Map(rows.flatMap(({ setId, levels }) => (levels ? [[setId, levels] as const] : [])))
  return rows.map(({ setId, ...row }) => ({ ...row, levels: sets.get(setId) ?? [] }))
}
