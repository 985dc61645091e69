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
  const { rows } = await sql<LevelsRow>`
    select w.workflow_id, w.record_id, w.set_id, w.ref, w.hidden, p.proved_at,
      greatest(s.as_of, p.proved_at, w.relisted_at) as as_of,
      case when row_number() over (partition by w.set_id) = 1 then s.access->'levels' end as levels
    from wanted_documents as w join permission_sets as s on s.id = w.set_id
    left join workflow_scopes as p on p.workflow_id = w.workflow_id and p.scope = w.scope
    where w.workflow_id = any(${workflowIds}::uuid[]) and w.record_id = any(${recordIds}::text[])
    order by w.record_id, w.workflow_id
  `.execute(db)
  // Documents share sets, and the levels of a set may be long: they come once.
  const sets = new Map(rows.flatMap(({ set_id: id, levels }) => (levels ? [[id, levels] as const] : [])))
  return rows.map((row) => ({
    workflowId: row.workflow_id,
    recordId: row.record_id,
    ref: row.ref,
    levels: sets.get(row.set_id) ?? [],
    hidden: row.hidden,
    provedAt: row.proved_at,
    asOf: row.as_of,
  }))
}

type LevelsRow = {
  workflow_id: string
  record_id: string
  set_id: string
  ref: PlacedDocument
  levels: StoredLevel[] | null
  hidden: HiddenReason | null
  proved_at: Date | null
  as_of: Date
}
