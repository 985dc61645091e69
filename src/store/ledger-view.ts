import { sql } from 'kysely'
import type { FencedEntry } from '../ledger-entry.ts'
import type { Database } from './database.ts'
import { fromRow, type StoredEntry } from './documents.ts'

const PAGE = 200

/** All that the workflows know, in pages. */
export async function* knownDocuments(db: Database, ledgerIds: string[]): AsyncGenerator<FencedEntry[]> {
  for (const ledgerId of ledgerIds) {
    for (let after = ''; ; ) {
      const rows = await db
        .selectFrom('documents')
        .selectAll()
        .where('ledger_id', '=', ledgerId)
        .where('record_id', '>', after)
        .orderBy('record_id')
        .limit(PAGE)
        .execute()
      if (rows.length === 0) break
      yield rows.map(fenced)
      after = rows.at(-1)?.record_id ?? after
    }
  }
}

export async function findKnown(
  db: Database,
  ledgerIds: string[],
  recordIds: string[],
): Promise<Map<string, FencedEntry>> {
  if (recordIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('documents')
    .selectAll()
    .where('ledger_id', '=', sql<string>`any(${ledgerIds}::uuid[])`)
    .where('record_id', '=', sql<string>`any(${recordIds}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.record_id, fenced(row)]))
}

/** The wikis and spaces that the workflows have written documents of; a wiki is a record id without its last part. */
export async function knownPlaces(
  db: Database,
  ledgerIds: string[],
): Promise<{ wikis: Set<string>; spaces: Set<string> }> {
  const { rows } = await sql<{ wiki: string; space: string }>`
    select distinct regexp_replace(record_id, '/[^/]*$', '') as wiki, coalesce(locator->>'space_key', scope) as space
    from documents where ledger_id = any(${ledgerIds}::uuid[])
  `.execute(db)
  return { wikis: new Set(rows.map((row) => row.wiki)), spaces: new Set(rows.map((row) => row.space)) }
}

/** Notes that the index is not as the ledger says, so that the next run works these documents as a whole. */
export async function unsettleDocuments(
  db: Database,
  ledgerIds: string[],
  recordIds: string[],
): Promise<void> {
  await sql`
    update documents set settled = false
    where ledger_id = any(${ledgerIds}::uuid[]) and record_id = any(${recordIds}::text[])
  `.execute(db)
}

export async function unsettledRecords(db: Database, ledgerId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('documents')
    .select('record_id')
    .where('ledger_id', '=', ledgerId)
    .where('settled', '=', false)
    .execute()
  return new Set(rows.map((row) => row.record_id))
}

function fenced(row: StoredEntry & { fence: string | number | bigint }): FencedEntry {
  return { ...fromRow(row), fence: Number(row.fence) }
}
