import { type RawBuilder, sql } from 'kysely'
import type { DocumentRef } from '../../document.ts'
import { DOCUMENT_GONE, type Entry, type Skipped } from '../../ledger-entry.ts'
import type { Database } from '../database.ts'
import { storableJson } from '../storable.ts'
import { type LedgerKey, searchedLedger, searchedLedgers } from './ledgers.ts'

export async function findDocuments(
  db: Database,
  of: LedgerKey,
  recordIds: string[],
): Promise<Map<string, Entry>> {
  if (recordIds.length === 0) return new Map()
  const { rows } = await sql<StoredEntry>`
    select * from documents where ${inLedger(of)} and record_id = any(${recordIds}::text[])
  `.execute(db)
  return new Map(rows.map((row) => [row.record_id, fromRow(row)]))
}

/** A content task that intends to write settles within this time, or has died. */
export const OPEN_INTENT_SECONDS = 300
/** The same for a permission writer, which holds no text; the queue delivers the task of a dead one after 20 s. */
const WRITER_INTENT_SECONDS = 20

/**
 * Never overwrites rows of a higher fence, nor brings back documents that a later task removed, nor writes the ledger of
 * a replaced index. `isTaken`: the task has taken its rows over, and writes no others.
 */
export type LedgerWrite = LedgerKey & { fence: number; isTaken?: true }

/** Returns the record ids that were written; the others belong to a later task. */
export async function upsertDocuments(
  db: Database,
  { fence, isTaken, ...of }: LedgerWrite,
  documents: Entry[],
): Promise<Set<string>> {
  const mayWrite = isTaken ? sql`known.fence = excluded.fence` : sql`known.fence <= excluded.fence`
  const since = isTaken
    ? sql`case when excluded.settled then now()
               else now() - make_interval(secs => ${OPEN_INTENT_SECONDS - WRITER_INTENT_SECONDS}) end`
    : sql`now()`
  const exists = sql`exists (
    select from documents as k where k.ledger_id = ${of.ledgerId}::uuid and k.record_id = d.record_id)`
  if (documents.length === 0) return new Set()
  const { rows } = await sql<{ record_id: string }>`
    with written as materialized (
      select id from ledgers where id = ${of.ledgerId}::uuid and replaced_at is null for share
    )
    insert into documents as known (ledger_id, record_id, scope, position, locator, version, state_hash, settings_hash,
                           element_ids, settled, skipped, access_hash, metadata_hash, fence)
    select written.id, d.record_id, d.scope, d.position, d.locator, d.version, d.state_hash, d.settings_hash,
           array(select jsonb_array_elements_text(d.element_ids)), d.settled,
           d.skipped, d.access_hash, d.metadata_hash, ${fence}::bigint
    from written, jsonb_to_recordset(${storableJson(documents.map(toRow))}::jsonb) as d(
      record_id text, scope text, position text, locator jsonb, version text, state_hash text, settings_hash text,
      element_ids jsonb, settled boolean, skipped jsonb, access_hash text, metadata_hash text)
    where ${isTaken ? exists : sql`true`} and not ${wasRemoved(of, fence)}
    on conflict (ledger_id, record_id) do update set
      scope = excluded.scope, position = excluded.position, locator = excluded.locator, version = excluded.version,
      state_hash = excluded.state_hash, settings_hash = excluded.settings_hash, element_ids = excluded.element_ids,
      settled = excluded.settled, skipped = excluded.skipped, access_hash = excluded.access_hash,
      metadata_hash = excluded.metadata_hash, fence = excluded.fence, updated_at = ${since}
    where ${mayWrite}
    returning record_id
  `.execute(db)
  return new Set(rows.map((row) => row.record_id))
}

/** Takes documents over that no task has changed since they were read; returns those. */
export async function takeDocuments(
  db: Database,
  { fence, ...of }: LedgerWrite,
  read: { recordId: string; fence: number }[],
): Promise<Set<string>> {
  if (read.length === 0) return new Set()
  const rows = read.map((each) => ({ record_id: each.recordId, fence: each.fence }))
  const taken = await sql<{ record_id: string }>`
    update documents as d set fence = ${fence}::bigint
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as k(record_id text, fence bigint)
    where d.ledger_id = ${of.ledgerId}::uuid and d.record_id = k.record_id and d.fence = k.fence
      and d.fence < ${fence}::bigint
    returning d.record_id
  `.execute(db)
  return new Set(taken.rows.map((row) => row.record_id))
}

/** After a failed write: the task is no longer writing these documents, so another one may at once. */
export async function releaseDocuments(
  db: Database,
  { fence, ...of }: LedgerWrite,
  recordIds: string[],
): Promise<void> {
  await sql`
    update documents set updated_at = to_timestamp(0)
    where ${inLedger(of)} and record_id = any(${recordIds}::text[]) and fence = ${fence}::bigint and not settled
  `.execute(db)
}

export async function deleteDocuments(
  db: Database,
  { fence, ...of }: LedgerWrite,
  recordIds: string[],
): Promise<void> {
  if (recordIds.length === 0) return
  await sql`
    with gone as (
      delete from documents
      where ${inLedger(of)} and record_id = any(${recordIds}::text[]) and fence <= ${fence}::bigint
      returning record_id, element_ids
    )
    insert into removed_elements (ledger_id, record_id, element_ids, fence)
    select ${of.ledgerId}::uuid, record_id, element_ids, ${fence}::bigint
    from gone where cardinality(element_ids) > 0
  `.execute(db)
}

/** Call before a settlement: elements that it no longer names have left the index. */
export async function recordStaleElements(
  db: Database,
  { fence, ...of }: LedgerWrite,
  entries: Pick<Entry, 'recordId' | 'elementIds'>[],
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map(({ recordId, elementIds }) => ({ record_id: recordId, element_ids: elementIds }))
  await sql`
    insert into removed_elements (ledger_id, record_id, element_ids, fence)
    select ${of.ledgerId}::uuid, d.record_id, stale.ids, ${fence}::bigint
    from jsonb_to_recordset(${storableJson(rows)}::jsonb) as k(record_id text, element_ids jsonb)
    join documents as d on d.ledger_id = ${of.ledgerId}::uuid and d.record_id = k.record_id
      and d.fence <= ${fence}::bigint
    cross join lateral (
      select array(select unnest(d.element_ids) except select jsonb_array_elements_text(k.element_ids)) as ids
    ) as stale
    where cardinality(stale.ids) > 0
  `.execute(db)
}

/** Whether a later task removed the document `d`. */
function wasRemoved({ ledgerId }: LedgerKey, fence: number) {
  return sql`exists (
    select from removed_elements as r
    where r.ledger_id = ${ledgerId}::uuid and r.record_id = d.record_id and r.fence > ${fence}::bigint)`
}

/** Documents in the index, without skipped ones. */
export async function countDocuments(db: Database, ledgerId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from documents where ledger_id = ${ledgerId}::uuid and skipped is null
  `.execute(db)
  return rows[0]!.count
}

/** Whether the job has found the document `d`. */
function isListedBy(jobId: string) {
  return sql`exists (
    select from job_documents as j
    where j.job_id = ${jobId}::uuid and j.state <> 'removed' and j.record_id = d.record_id
      and j.error_code is distinct from ${DOCUMENT_GONE}
  )`
}

/** Entries that this job did not list, or whose document was gone when read; in pages. */
export async function* unlistedDocuments(db: Database, of: LedgerKey, jobId: string): AsyncIterable<Entry[]> {
  let after = ''
  while (true) {
    const { rows } = await sql<Partial<StoredEntry> & { id: string }>`
      with page as materialized (
        select record_id from (
          select record_id from unlisted_documents where job_id = ${jobId}::uuid
          union
          select record_id collate "C" from job_documents
          where job_id = ${jobId}::uuid and state = 'skipped' and error_code = ${DOCUMENT_GONE}
        ) as candidates
        where record_id > ${after} order by record_id limit 1000
      )
      select page.record_id as id, d.* from page left join documents as d
        on d.ledger_id = ${of.ledgerId}::uuid and d.record_id = page.record_id collate "default"
        and not ${isListedBy(jobId)}
      order by page.record_id
    `.execute(db)
    if (rows.length === 0) return
    const entries = rows.filter((row): row is StoredEntry & { id: string } => row.record_id != null)
    if (entries.length > 0) yield entries.map(fromRow)
    after = rows.at(-1)?.id ?? after
  }
}

/** Entries of a staged index that its job no longer lists, in pages. */
export async function* unlistedStaged(db: Database, of: LedgerKey, jobId: string): AsyncIterable<Entry[]> {
  yield* entriesWhere(db, of, sql`not ${isListedBy(jobId)}`)
}

/** Entries with a state that the index lost, and that this job did not list; in pages. */
export async function* unsettledWithState(
  db: Database,
  of: LedgerKey,
  { jobId, stateHash }: { jobId: string; stateHash: string },
): AsyncIterable<Entry[]> {
  yield* entriesWhere(db, of, sql`not d.settled and d.state_hash = ${stateHash} and not ${isListedBy(jobId)}`)
}

async function* entriesWhere(
  db: Database,
  of: LedgerKey,
  condition: RawBuilder<unknown>,
): AsyncIterable<Entry[]> {
  let after = ''
  while (true) {
    const { rows } = await sql<StoredEntry>`
      select * from documents as d where ${inLedger(of)} and record_id > ${after}::text and ${condition}
      order by record_id limit 1000
    `.execute(db)
    if (rows.length === 0) return
    yield rows.map(fromRow)
    after = rows.at(-1)?.record_id ?? after
  }
}

/** Ledger entries this job failed to process, in pages. */
export async function* failedDocuments(
  db: Database,
  of: LedgerKey,
  jobId: string,
): AsyncIterable<{ entry: Entry; ref: DocumentRef | null }[]> {
  let after = ''
  while (true) {
    const { rows } = await sql<StoredEntry & { ref: DocumentRef | null }>`
      select d.*, j.ref from documents as d
      join job_documents as j on j.job_id = ${jobId}::uuid and j.record_id = d.record_id and j.state = 'failed'
      where ${inLedger(of)} and d.record_id > ${after}::text order by d.record_id limit 1000
    `.execute(db)
    if (rows.length === 0) return
    yield rows.map((row) => ({ entry: fromRow(row), ref: row.ref }))
    after = rows.at(-1)?.record_id ?? after
  }
}

/** A workflow recreated for the same target takes over the ledger of its predecessor. */
export async function takeOverDocuments(
  db: Database,
  fromWorkflowIds: string[],
  toWorkflowId: string,
): Promise<void> {
  if (fromWorkflowIds.length === 0) return
  const [from, to] = [searchedLedgers(fromWorkflowIds), searchedLedger(toWorkflowId)]
  await sql`
    insert into documents (ledger_id, record_id, scope, position, locator, version, state_hash, settings_hash,
                           element_ids, settled, skipped, access_hash, metadata_hash, fence)
    select distinct on (record_id) ${to}, record_id, scope, position, locator, version, state_hash,
           settings_hash, element_ids, settled, skipped, access_hash, metadata_hash, fence
    from documents where ledger_id = ${from}
    order by record_id, updated_at desc
    on conflict do nothing
  `.execute(db)
  await sql`delete from documents where ledger_id = ${from}`.execute(db)
  await sql`
    update removed_elements set ledger_id = ${to} where ledger_id = ${from}
  `.execute(db)
}

function inLedger({ ledgerId }: LedgerKey) {
  return sql`ledger_id = ${ledgerId}::uuid`
}

export type StoredEntry = {
  record_id: string
  scope: string
  position: string
  locator: Record<string, string>
  version: string
  state_hash: string
  settings_hash: string
  element_ids: string[]
  settled: boolean
  skipped: Skipped | null
  access_hash: string | null
  metadata_hash: string | null
  fence: BigInteger
}

type BigInteger = string | number | bigint

export function fromRow(row: StoredEntry): Entry {
  return {
    recordId: row.record_id,
    scope: row.scope,
    position: row.position,
    locator: row.locator,
    version: row.version,
    stateHash: row.state_hash,
    settingsHash: row.settings_hash,
    elementIds: row.element_ids,
    settled: row.settled,
    ...(row.skipped ? { skipped: row.skipped } : {}),
    ...(row.access_hash === null ? {} : { accessHash: row.access_hash }),
    ...(row.metadata_hash === null ? {} : { metadataHash: row.metadata_hash }),
  }
}

function toRow(document: Entry): Omit<StoredEntry, 'fence'> {
  return {
    record_id: document.recordId,
    scope: document.scope,
    position: document.position,
    locator: document.locator,
    version: document.version,
    state_hash: document.stateHash,
    settings_hash: document.settingsHash,
    element_ids: document.elementIds,
    settled: document.settled,
    skipped: document.skipped ?? null,
    access_hash: document.accessHash ?? null,
    metadata_hash: document.metadataHash ?? null,
  }
}
