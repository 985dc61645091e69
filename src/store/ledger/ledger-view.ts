import { sql } from 'kysely'
import type { FencedEntry } from '../../ledger-entry.ts'
import type { Database } from '../database.ts'
import { fromRow, type StoredEntry } from './documents.ts'

const PAGE = 200

/** All ledger entries of the workflows, in pages. */
export async function* knownDocuments(db: Database, workflowIds: string[]): AsyncGenerator<FencedEntry[]> {
  for (const workflowId of workflowIds) {
    for (let after = ''; ; ) {
      const rows = await db
        .selectFrom('documents')
        .selectAll()
        .where('workflow_id', '=', workflowId)
        .where('record_id', '>', after)
        .orderBy('record_id')
        .limit(PAGE)
        .execute()
      if (rows.length === 0) break
      yield rows.map(toFencedEntry)
      after = rows.at(-1)?.record_id ?? after
    }
  }
}

export async function findKnown(
  db: Database,
  workflowIds: string[],
  recordIds: string[],
): Promise<Map<string, FencedEntry>> {
  if (recordIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('documents')
    .selectAll()
    .where('workflow_id', '=', sql<string>`any(${workflowIds}::uuid[])`)
    .where('record_id', '=', sql<string>`any(${recordIds}::text[])`)
    .execute()
  const known = new Map<string, FencedEntry>()
  for (const entry of rows.map(toFencedEntry)) {
    // Two workflows may write one document; elements of either are expected.
    const other = known.get(entry.recordId)
    const elementIds = [...new Set([...(other?.elementIds ?? []), ...entry.elementIds])]
    known.set(entry.recordId, { ...entry, elementIds })
  }
  return known
}

/** A site is a record id without its last part. */
export async function knownScopes(
  db: Database,
  workflowIds: string[],
): Promise<{ site: string; scope: string }[]> {
  const { rows } = await sql<{ site: string; scope: string }>`
    select distinct regexp_replace(record_id, '/[^/]*$', '') as site, coalesce(locator->>'space_key', scope) as scope
    from documents where workflow_id = any(${workflowIds}::uuid[])
  `.execute(db)
  return rows
}

/** Makes the next job process these documents again, because the index differs from the ledger. */
export async function unsettleDocuments(
  db: Database,
  workflowIds: string[],
  recordIds: string[],
): Promise<void> {
  await sql`
    update documents set settled = false
    where workflow_id = any(${workflowIds}::uuid[]) and record_id = any(${recordIds}::text[])
  `.execute(db)
}

export async function unsettledRecords(db: Database, workflowId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('documents')
    .select('record_id')
    .where('workflow_id', '=', workflowId)
    .where('settled', '=', false)
    .execute()
  return new Set(rows.map((row) => row.record_id))
}

function toFencedEntry(row: StoredEntry): FencedEntry {
  return { ...fromRow(row), fence: Number(row.fence) }
}
