import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { firstPart, type ListPart, type ListRange } from '../keyset.ts'

export type ProvedScope = {
  scope: string
  /** Empty if no document of it was read. */
  name: string
  proved_at: Date | null
  /** Decisions that the source keeps for the scope. */
  decisions: number
  oldest_decision: Date | null
}

/** When the permissions of each scope were proved, in the order of the scopes. */
export async function listProvedScopes(
  db: Database,
  { id, source_id: sourceId }: { id: string; source_id: string | null },
  { limit, cursor }: ListRange,
): Promise<ListPart<ProvedScope>> {
  const { rows } = await sql<ProvedScope>`
    select s.scope, coalesce(n.name, '') as name, s.proved_at, d.decisions, d.oldest_decision from (
      select scope, proved_at from workflow_scopes
      where workflow_id = ${id}::uuid and (${cursor}::text is null or scope > ${cursor})
      order by scope limit ${limit + 1}
    ) as s cross join lateral (
      select count(*)::int as decisions, min(checked_at) as oldest_decision from source_decisions
      where source_id = ${sourceId}::uuid and scope = s.scope and scope <> ''
    ) as d left join lateral (
      select ref->>'scopeName' as name from wanted_documents
      where workflow_id = ${id}::uuid and scope = s.scope limit 1
    ) as n on true
    order by s.scope
  `.execute(db)
  return firstPart(rows, limit, (row) => row.scope)
}

/** When the oldest permissions of a workflow were proved. */
export async function oldestProof(db: Database, workflowId: string): Promise<Date | null> {
  const { rows } = await sql<{ oldest: Date | null }>`
    select min(proved_at) as oldest from workflow_scopes where workflow_id = ${workflowId}::uuid
  `.execute(db)
  return rows[0]?.oldest ?? null
}
