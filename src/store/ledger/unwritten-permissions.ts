import { sql } from 'kysely'
import type { DocumentRef } from '../../document.ts'
import { HIDDEN_ACCESS } from '../../document-hashes.ts'
import type { FencedEntry } from '../../ledger-entry.ts'
import { readAccess, type StoredAccess } from '../../permissions/levels.ts'
import type { Database } from '../database.ts'
import type { HiddenReason } from '../schema.ts'
import { fromRow, OPEN_INTENT_SECONDS, type StoredEntry } from './documents.ts'
import type { LedgerKey } from './ledgers.ts'
import { keyOfSet } from './permission-sets.ts'
import { lockWanted } from './wanted.ts'

/** A document whose permissions in the index differ from the wanted ones; `ref` is null if it has to be hidden. */
type UnwrittenPermission = { entry: FencedEntry; ref: DocumentRef | null }

/** Where to look for unwritten permissions: documents that are marked, or those of a set that changed. */
export type ScanTarget = { kind: 'marked' } | { kind: 'set'; id: string; revision: string }

type UnwrittenRow = StoredEntry & {
  wanted_id: string
  needs_permission_write: boolean | null
  ref: Omit<DocumentRef, 'access'>
  access: StoredAccess
  hidden: HiddenReason | null
  is_open: boolean | null
}

const PAGE = 500
const OPEN_SINCE = sql`now() - make_interval(secs => ${sql.lit(OPEN_INTENT_SECONDS)})`

/**
 * Whether `d` (in the index) differs from `w` and its set `s` (wanted). Once hidden, documents
 * that the index refused stay hidden until a content job writes them.
 */
const IS_UNWRITTEN = sql<boolean>`(d.skipped is null and cardinality(d.element_ids) > 0 and
  case when w.hidden is null
         and (d.settled or d.access_hash is distinct from ${sql.lit(HIDDEN_ACCESS)})
       then d.access_hash is distinct from s.hash or d.metadata_hash is distinct from w.metadata_hash
       else d.access_hash is distinct from ${sql.lit(HIDDEN_ACCESS)} end)`

/** `aside`: also rows whose documents a listing is about to move to another. */
export async function scanTargets(
  db: Database,
  workflowId: string,
  { aside }: { aside: boolean },
): Promise<ScanTarget[]> {
  const { rows } = await sql<{ id: string; revision: string }>`
    select id, revision from permission_sets as s
    where workflow_id = ${workflowId}::uuid and revision > written_revision and (${aside} or key = ${keyOfSet('s')})
    order by id
  `.execute(db)
  return [{ kind: 'marked' }, ...rows.map(({ id, revision }) => ({ kind: 'set' as const, id, revision }))]
}

/** `scanned` are all documents of the page; `open` are being written by a task and stay unwritten. */
type UnwrittenPage = {
  unwritten: UnwrittenPermission[]
  open: string[]
  scanned: string[]
  last: string | null
}

/**
 * The next documents of a target after a record id, with their unwritten permissions in one ledger. Joins need
 * `collate "default"`: the index of the documents has it, unlike those of the wanted state.
 */
export async function unwrittenPermissions(
  db: Database,
  of: LedgerKey,
  { target, after }: { target: ScanTarget; after: string },
): Promise<UnwrittenPage> {
  const inTarget = target.kind === 'marked' ? sql`needs_permission_write` : sql`set_id = ${target.id}::bigint`
  const { rows } = await sql<UnwrittenRow>`
    with page as materialized (
      select record_id from wanted_documents
      where workflow_id = ${of.workflowId}::uuid and ${inTarget} and record_id > ${after}
      order by record_id limit ${PAGE}
    )
    select d.*, w.record_id as wanted_id, w.ref, s.access, w.hidden, ${IS_UNWRITTEN} as needs_permission_write,
      not d.settled and d.access_hash is null and d.updated_at > ${OPEN_SINCE} as is_open
    from page
    join wanted_documents as w on w.workflow_id = ${of.workflowId}::uuid and w.record_id = page.record_id
    join permission_sets as s on s.id = w.set_id
    left join documents as d on d.ledger_id = ${of.ledgerId}::uuid and d.record_id = w.record_id collate "default"
    order by w.record_id
  `.execute(db)
  const unwritten = rows.filter((row) => row.needs_permission_write)
  return {
    unwritten: unwritten
      .filter((row) => !row.is_open)
      .map((row) => ({
        entry: { ...fromRow(row), fence: Number(row.fence) },
        ref: row.hidden === null ? { ...row.ref, access: readAccess(row.access) } : null,
      })),
    open: unwritten.filter((row) => row.is_open).map((row) => row.wanted_id),
    scanned: rows.map((row) => row.wanted_id),
    last: rows.length < PAGE ? null : (rows.at(-1)?.wanted_id ?? null),
  }
}

/** Marks documents of a set that could not be written yet, so that the set itself counts as written. */
export async function markDocuments(db: Database, workflowId: string, recordIds: string[]): Promise<void> {
  if (recordIds.length === 0) return
  await db.transaction().execute(async (transaction) => {
    await lockWanted(transaction, workflowId)
    await sql`
      update wanted_documents set needs_permission_write = true
      where workflow_id = ${workflowId}::uuid and record_id = any(${recordIds}::text[]) and not needs_permission_write
    `.execute(transaction)
  })
}

/** Removes the marks of documents that differ in no ledger, staged ones included. */
export async function clearMarks(db: Database, workflowId: string, recordIds: string[]): Promise<void> {
  if (recordIds.length === 0) return
  await db.transaction().execute(async (transaction) => {
    await lockWanted(transaction, workflowId)
    await sql`
      update wanted_documents as w set needs_permission_write = false from permission_sets as s
      where w.workflow_id = ${workflowId}::uuid and w.record_id = any(${recordIds}::text[]) and w.needs_permission_write
        and s.id = w.set_id
        and not exists (
          select from ledgers as l join documents as d on d.ledger_id = l.id
          where l.workflow_id = w.workflow_id and d.record_id = w.record_id collate "default" and ${IS_UNWRITTEN}
        )
    `.execute(transaction)
  })
}

/** All documents of the set were written or marked. Has no effect if the set has changed meanwhile. */
export async function finishSet(
  db: Database,
  { id, revision }: { id: string; revision: string },
): Promise<void> {
  await sql`
    update permission_sets set written_revision = revision where id = ${id}::bigint and revision = ${revision}::bigint
  `.execute(db)
}

/** Whether any permission in the index may differ from the wanted one. */
export async function hasUnwrittenPermissions(db: Database, workflowId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from wanted_documents where workflow_id = ${workflowId}::uuid and needs_permission_write)
      or exists (select from permission_sets where workflow_id = ${workflowId}::uuid and revision > written_revision)
      as found
  `.execute(db)
  return rows[0]?.found ?? false
}

/** Workflows with unwritten permissions, for the regular sweep. */
export async function workflowsWithUnwrittenPermissions(db: Database): Promise<string[]> {
  const { rows } = await sql<{ workflow_id: string }>`
    select distinct workflow_id from wanted_documents where needs_permission_write
    union select distinct workflow_id from permission_sets where revision > written_revision
  `.execute(db)
  return rows.map((row) => row.workflow_id)
}

/** Marks documents that a dead task was writing: the index may hold old permissions. */
export async function markInterrupted(db: Database): Promise<void> {
  const isDead = sql`not d.settled and d.access_hash is null and d.updated_at < ${OPEN_SINCE}
    and d.skipped is null and cardinality(d.element_ids) > 0`
  await sql`
    update wanted_documents as w set needs_permission_write = true from documents as d join ledgers as l on l.id = d.ledger_id
    where ${isDead} and w.workflow_id = l.workflow_id and w.record_id = d.record_id and not w.needs_permission_write
  `.execute(db)
}

/** `hides`: what the task hid in the index is hidden from search too, until a listing shows it. */
type Marking = { recordIds: string[]; hides: boolean }

/** Marks documents that were just written with other permissions than the wanted ones. */
export async function markUnwritten(
  transaction: Database,
  of: LedgerKey,
  { recordIds, hides }: Marking,
): Promise<void> {
  if (recordIds.length === 0) return
  await lockWanted(transaction, of.workflowId)
  const isHidden = sql`unwritten.access_hash = ${sql.lit(HIDDEN_ACCESS)} and ${sql.lit(hides)}`
  // One lookup per document, also in tables without statistics: other plans read all documents for each.
  await sql`
    with listed as materialized (
      select found.* from unnest(${recordIds}::text[]) as r(id) cross join lateral (
        select record_id, set_id, hidden, metadata_hash from wanted_documents
        where workflow_id = ${of.workflowId}::uuid and record_id = r.id offset 0
      ) as found
    ),
    unwritten as materialized (
      select w.record_id, d.access_hash from listed as w join permission_sets as s on s.id = w.set_id
      cross join lateral (
        select * from documents
        where ledger_id = ${of.ledgerId}::uuid and record_id = w.record_id collate "default" offset 0
      ) as d
      where ${IS_UNWRITTEN}
    )
    update wanted_documents as w set needs_permission_write = true,
      hidden = case when ${isHidden} then coalesce(w.hidden, 'unreadable') else w.hidden end
    from unwritten where w.workflow_id = ${of.workflowId}::uuid and w.record_id = unwritten.record_id
  `.execute(transaction)
}

/** Marked documents are counted up to here. */
const MAX_COUNTED = 100_000

/** Over all workflows: documents and whole permission sets that the writer has not brought to the index yet. */
export async function countUnwrittenPermissions(db: Database): Promise<{ documents: number; sets: number }> {
  const { rows } = await sql<{ documents: number; sets: number }>`
    select
      (select count(*) from (select from wanted_documents where needs_permission_write limit ${MAX_COUNTED}) as marked)::int as documents,
      (select count(*) from permission_sets where revision > written_revision)::int as sets
  `.execute(db)
  return rows[0] ?? { documents: 0, sets: 0 }
}
