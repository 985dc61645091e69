import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'

/** Positions after `after` (null: from the start) up to `to` (included; null: up to the end) of one scope. */
type PositionRange = { scope: string; after: string | null; to: string | null; listed: string[] }

/** Documents of the range that its listing did not show. */
export async function unseenInRange(
  db: Database,
  workflowId: string,
  { scope, after, to, listed }: PositionRange,
): Promise<string[]> {
  const { rows } = await sql<{ record_id: string }>`
    select record_id from wanted_documents
    where workflow_id = ${workflowId}::uuid and scope = ${scope}
      and (${after}::text is null or position > ${after}::text) and (${to}::text is null or position <= ${to}::text)
      and record_id <> all(${listed}::text[])
  `.execute(db)
  return rows.map((row) => row.record_id)
}

/** Call it only for the newest listing of their scope, which began at `asOf`. Returns how many were not hidden so. */
export async function hideUnseen(
  transaction: Database,
  workflowId: string,
  { recordIds, asOf }: { recordIds: string[]; asOf: Date },
): Promise<number> {
  if (recordIds.length === 0) return 0
  return hide(transaction, workflowId, { which: sql`record_id = any(${recordIds}::text[])`, asOf })
}

/** Hides documents of scopes that a complete listing did not show, unless a newer listing has shown the scope. */
export async function hideOtherScopes(
  transaction: Database,
  workflowId: string,
  { scopes, began }: { scopes: string[]; began: Date },
): Promise<number> {
  const isOther = sql`scope <> all(${scopes}::text[]) and not exists (
    select from workflow_scopes as s
    where s.workflow_id = w.workflow_id and s.scope = w.scope and s.listed_at >= ${began})`
  return hide(transaction, workflowId, { which: isOther, asOf: began })
}

/**
 * Search hides them at once, and the permission writer hides them in the index. A document that was read apart from its
 * scope after the listing began stays.
 */
async function hide(
  transaction: Database,
  workflowId: string,
  { which, asOf }: { which: RawBuilder<unknown>; asOf: Date },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update wanted_documents as w set hidden = 'unlisted', needs_permission_write = true
    where workflow_id = ${workflowId}::uuid and hidden is distinct from 'unlisted' and ${which}
      and (relisted_at is null or relisted_at <= ${asOf})
  `.execute(transaction)
  return Number(numAffectedRows ?? 0)
}
