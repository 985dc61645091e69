import { sql } from 'kysely'
import type { FencedEntry } from '../../ledger-entry.ts'
import type { Database } from '../database.ts'
import { fromRow, type StoredEntry } from './documents.ts'
import { searchedLedger, searchedLedgers } from './ledgers.ts'

const PAGE = 200

/** All ledger entries of the workflows, in pages. */
export async function* ledgerEntries(db: Database, workflowIds: string[]): AsyncGenerator<FencedEntry[]> {
  let page: LedgerPage | null = null
  while (true) {
    page = await ledgerPage(db, workflowIds, page?.end ?? null)
    if (!page) return
    yield page.entries
  }
}

export type LedgerPosition = { workflowId: string; recordId: string }
type LedgerPage = { entries: FencedEntry[]; end: LedgerPosition }

/** The next entries of one of the workflows; null after the last. */
export async function ledgerPage(
  db: Database,
  workflowIds: string[],
  after: LedgerPosition | null,
): Promise<LedgerPage | null> {
  for (const workflowId of workflowIds.toSorted()) {
    if (after && workflowId < after.workflowId) continue
    const rows = await db
      .selectFrom('documents')
      .selectAll()
      .where('ledger_id', '=', sql<string>`${searchedLedger(workflowId)}`)
      .where('record_id', '>', workflowId === after?.workflowId ? after.recordId : '')
      .orderBy('record_id')
      .limit(PAGE)
      .execute()
    const last = rows.at(-1)
    if (last) return { entries: rows.map(toFencedEntry), end: { workflowId, recordId: last.record_id } }
  }
  return null
}

/** Documents that a task may be writing now. */
export async function openIntents(
  db: Database,
  workflowId: string,
  { recordIds, seconds }: { recordIds: string[]; seconds: number },
): Promise<Set<string>> {
  const { rows } = await sql<{ record_id: string }>`
    select record_id from documents
    where ledger_id = ${searchedLedger(workflowId)} and record_id = any(${recordIds}::text[])
      and not settled and access_hash is null and updated_at > now() - make_interval(secs => ${seconds})
  `.execute(db)
  return new Set(rows.map((row) => row.record_id))
}

export async function countLedgerEntries(db: Database, workflowIds: string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from documents where ledger_id = ${searchedLedgers(workflowIds)}
  `.execute(db)
  return rows[0]!.count
}

export async function findLedgerEntries(
  db: Database,
  workflowIds: string[],
  recordIds: string[],
): Promise<Map<string, FencedEntry>> {
  if (recordIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('documents')
    .selectAll()
    .where('ledger_id', '=', sql<string>`${searchedLedgers(workflowIds)}`)
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
export async function ledgerScopes(
  db: Database,
  workflowIds: string[],
): Promise<{ site: string; scope: string }[]> {
  const { rows } = await sql<{ site: string; scope: string }>`
    select distinct regexp_replace(record_id, '/[^/]*$', '') as site, coalesce(locator->>'space_key', scope) as scope
    from documents where ledger_id = ${searchedLedgers(workflowIds)}
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
    where ledger_id = ${searchedLedgers(workflowIds)} and record_id = any(${recordIds}::text[])
  `.execute(db)
}

export async function hasUnsettled(db: Database, workflowId: string): Promise<boolean> {
  const row = await unsettled(db, workflowId).executeTakeFirst()
  return row !== undefined
}

export async function unsettledRecords(db: Database, workflowId: string): Promise<Set<string>> {
  const rows = await unsettled(db, workflowId).execute()
  return new Set(rows.map((row) => row.record_id))
}

function unsettled(db: Database, workflowId: string) {
  return db
    .selectFrom('documents')
    .select('record_id')
    .where('ledger_id', '=', sql<string>`${searchedLedger(workflowId)}`)
    .where('settled', '=', false)
}

function toFencedEntry(row: StoredEntry): FencedEntry {
  return { ...fromRow(row), fence: Number(row.fence) }
}
