import { type Selectable, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { Schema } from '../schema.ts'

/** The ledger of one index of a workflow. */
export type LedgerKey = { workflowId: string; ledgerId: string }

export type LedgerRow = Selectable<Schema['ledgers']>

/** The ledger of the index that searches use; for statements about a workflow whose index does not matter. */
export function searchedLedger(workflowId: string) {
  return sql`(select ledger_id from workflows where id = ${workflowId}::uuid)`
}

export function searchedLedgers(workflowIds: string[]) {
  return sql`any(array(select ledger_id from workflows where id = any(${workflowIds}::uuid[])))`
}

/** Whether a ledger of its workflow names a document of `row`, a table with both ids. */
export function isInLedger(row: string) {
  return sql`exists (
    select from ledgers as l join documents as d on d.ledger_id = l.id
    where l.workflow_id = ${sql.ref(`${row}.workflow_id`)}
      and d.record_id = ${sql.ref(`${row}.record_id`)} collate "default")`
}

/** Whether the workflow `w` writes an index that a workflow of these destinations writes: several may name one. */
export function writesIndexOf(destinationIds: string[]) {
  return sql<boolean>`w.ledger_id in (
    select own.id from workflows as same join ledgers as l on l.id = same.ledger_id
    join ledgers as own on own.index_uuid = l.index_uuid
    where same.destination_id = any(${destinationIds}::uuid[]))`
}

/** The ledgers of indexes that are written: the searched one, then a staged one. */
export async function writtenLedgers(db: Database, workflowId: string): Promise<LedgerRow[]> {
  const { rows } = await sql<LedgerRow>`
    select l.* from ledgers as l join workflows as w on w.id = l.workflow_id
    where w.id = ${workflowId}::uuid and l.replaced_at is null order by l.id <> w.ledger_id
  `.execute(db)
  return rows
}

export async function readSearchedLedger(db: Database, workflowId: string): Promise<LedgerRow | undefined> {
  return (await writtenLedgers(db, workflowId))[0]
}

export async function recordIndex(
  db: Database,
  ledgerId: string,
  { name, uuid }: { name: string | null; uuid: string },
): Promise<void> {
  await sql`update ledgers set index_name = ${name}, index_uuid = ${uuid} where id = ${ledgerId}::uuid`.execute(
    db,
  )
}

export type ReplacedIndex = { name: string; uuid: string; workflow_id: string; replaced_at: Date }

export async function replacedIndexes(db: Database, destinationId: string): Promise<ReplacedIndex[]> {
  const { rows } = await sql<ReplacedIndex>`
    select index_name as name, index_uuid as uuid, workflow_id, replaced_at from ledgers
    where destination_id = ${destinationId}::uuid order by replaced_at desc
  `.execute(db)
  return rows
}

/** The workflows whose index of this uuid was replaced. */
export async function workflowsOfReplacedIndex(
  db: Database,
  workflowIds: string[],
  uuid: string,
): Promise<string[]> {
  const { rows } = await sql<{ workflow_id: string }>`
    select distinct workflow_id from ledgers
    where workflow_id = any(${workflowIds}::uuid[]) and index_uuid = ${uuid} and replaced_at is not null
  `.execute(db)
  return rows.map((row) => row.workflow_id)
}

/** Ledgers of other indexes have no destination. */
export async function deleteReplacedIndex(db: Database, destinationId: string, name: string): Promise<void> {
  await sql`delete from ledgers where destination_id = ${destinationId}::uuid and index_name = ${name}`.execute(
    db,
  )
}
