import { type Selectable, sql } from 'kysely'
import type { DocumentRef, DocumentWarning } from '../../document.ts'
import { GONE } from '../../ledger-entry.ts'
import type { Database } from '../database.ts'
import type { DocumentKind, DocumentState, Schema } from '../schema.ts'
import { storableJson } from '../storable.ts'

/** A document as listed. `pending` with a slice waits for processing, without one to be listed again. */
export type ListedDocument = { ref: DocumentRef; kind: DocumentKind; slice: number | null; skipped?: Reason }
export type Reason = { code: string; message: string }

/** Other documents are finished as soon as they are listed. */
export function needsWork(kind: DocumentKind): boolean {
  return kind !== 'unchanged' && kind !== 'skipped'
}

/** `asOf` is when the listing read the permissions. */
export type ListedAt = { jobId: string; asOf: Date }

/** Listed again in the same scope: the newer ref counts. In another scope: it moved and is listed once more. */
export async function recordSeen(db: Database, of: ListedAt, listed: ListedDocument[]): Promise<void> {
  if (listed.length === 0) return
  const { jobId, asOf } = of
  const rows = listed.map(({ ref, kind, slice, skipped }) => ({
    record_id: ref.recordId,
    scope: ref.scope,
    slice,
    state: needsWork(kind) ? 'pending' : kind,
    kind,
    // Documents that need no processing store no ref.
    ref: needsWork(kind) ? ref : null,
    title: ref.title,
    url: ref.url,
    error_code: skipped?.code ?? null,
    error_message: skipped?.message ?? null,
  }))
  const isDeferred = sql`(j.state = 'pending' and j.slice is null)`
  // A later listing may override this; a document a slice skipped has another kind.
  const asListed = sql`(j.state = 'unchanged' or (j.state = 'skipped' and j.kind = 'skipped'))`
  await sql`
    insert into job_documents as j (job_id, seen_at, record_id, scope, slice, state, kind, ref, title, url, error_code,
      error_message)
    select ${jobId}::uuid, ${asOf}::timestamptz, d.* from jsonb_to_recordset(${storableJson(rows)}::jsonb)
      as d(record_id text, scope text, slice integer, state text, kind text, ref jsonb, title text, url text,
           error_code text, error_message text)
    on conflict (job_id, record_id) do update set
      scope = excluded.scope,
      slice = case
        when ${isDeferred} then excluded.slice
        when j.scope <> excluded.scope then null
        when ${asListed} then excluded.slice
        else j.slice end,
      state = case
        -- Unchanged when listed again: this job wrote it but could not record that.
        when ${isDeferred} and excluded.kind = 'unchanged' then j.kind
        when ${isDeferred} then excluded.state
        when j.scope <> excluded.scope then 'pending'
        when ${asListed} then excluded.state
        else j.state end,
      kind = case when j.scope <> excluded.scope and not ${isDeferred} then 'changed'
                  when excluded.kind in ('unchanged', 'skipped') and not ${asListed} then j.kind
                  else excluded.kind end,
      error_code = case when ${isDeferred} or (j.scope = excluded.scope and ${asListed}) then excluded.error_code end,
      error_message = case when ${isDeferred} or (j.scope = excluded.scope and ${asListed}) then excluded.error_message end,
      warnings = null,
      -- It moved during the listing, so neither ref has certain permissions.
      ref = case when ${isDeferred} then excluded.ref
                 when j.scope <> excluded.scope then null
                 else coalesce(excluded.ref, j.ref) end,
      -- A slice that still processes the first ref must not finish it.
      fence = case when j.scope <> excluded.scope and not ${isDeferred} then null else j.fence end,
      title = excluded.title,
      url = excluded.url,
      seen_at = excluded.seen_at
    where j.scope <> excluded.scope or j.state = 'pending' or ${asListed}
  `.execute(db)
}

export type TakenSlice = { ref: DocumentRef; kind: DocumentKind; seenAt: Date }

/** Claims unfinished documents for the task; a repeated task gets the same ones. */
export async function takeSlice(
  db: Database,
  of: { jobId: string; slice: number },
  fence: number,
): Promise<TakenSlice[]> {
  const rows = await db
    .updateTable('job_documents')
    .set({ state: 'in_progress', attempts: sql`attempts + 1`, fence: String(fence), updated_at: new Date() })
    .where('job_id', '=', of.jobId)
    .where('slice', '=', of.slice)
    .where('state', 'in', ['pending', 'in_progress'])
    .returning(['ref', 'kind', 'seen_at'])
    .execute()
  return rows.flatMap((row) => (row.ref ? [{ ref: row.ref, kind: row.kind, seenAt: row.seen_at }] : []))
}

export type Finished = {
  recordId: string
  state: DocumentState | 'again'
  elements?: number
  warnings?: DocumentWarning[]
  error?: Reason
}

/**
 * Applies only to documents that the task still has claimed. A document to list again keeps its ref, in case the
 * job gives up.
 */
export async function finishDocuments(
  db: Database,
  by: { jobId: string; fence: number },
  finished: Finished[],
): Promise<void> {
  if (finished.length === 0) return
  const rows = finished.map(({ recordId, state, elements, warnings, error }) => ({
    record_id: recordId,
    state: state === 'again' ? 'pending' : state,
    again: state === 'again',
    elements: elements ?? null,
    warnings: warnings ?? null,
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
  }))
  await sql`
    update job_documents as j set state = d.state, elements = d.elements, warnings = d.warnings,
      error_code = d.error_code, error_message = d.error_message, ref = case when d.again or d.state = 'failed' then j.ref end,
      slice = case when d.again then null else j.slice end, updated_at = now()
    from jsonb_to_recordset(${storableJson(rows)}::jsonb)
      as d(record_id text, state text, again boolean, elements integer, warnings jsonb, error_code text,
           error_message text)
    where j.job_id = ${by.jobId}::uuid and j.record_id = d.record_id and j.fence = ${by.fence}::bigint
  `.execute(db)
}

/** Documents that wait to be listed again. */
export async function deferredRecords(db: Database, jobId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('job_documents')
    .select('record_id')
    .where('job_id', '=', jobId)
    .where('state', '=', 'pending')
    .where('slice', 'is', null)
    .execute()
  return new Set(rows.map((row) => row.record_id))
}

/** Defers documents that moved during the listing, or that a slice found gone although they exist. */
export async function deferMoved(
  db: Database,
  jobId: string,
  moved: { recordId: string; scope: string }[],
): Promise<void> {
  const rows = moved.map(({ recordId, scope }) => ({ record_id: recordId, scope }))
  await sql`
    insert into job_documents as j (job_id, record_id, scope, state, kind, title, url)
    select ${jobId}::uuid, d.record_id, d.scope, 'pending', 'changed', '', ''
    from jsonb_to_recordset(${storableJson(rows)}::jsonb) as d(record_id text, scope text)
    on conflict (job_id, record_id) do update set
      state = 'pending', slice = null, ref = null, fence = null, error_code = null, error_message = null
    where j.state = 'skipped' and j.error_code = ${GONE}
  `.execute(db)
}

/** After an incomplete listing, forgets only documents that no listing of the job found. */
export async function dropDeferred(db: Database, jobId: string, complete: boolean): Promise<void> {
  await db
    .deleteFrom('job_documents')
    .where('job_id', '=', jobId)
    .where('state', '=', 'pending')
    .where('slice', 'is', null)
    .$if(!complete, (query) => query.where('ref', 'is', null).where('title', '=', ''))
    .execute()
}

export type GivenUp = { recordId: string; ref: DocumentRef | null; kind: DocumentKind; seenAt: Date }

/** Claims unfinished documents for the task that ends them. */
export async function takeGivenUp(
  db: Database,
  of: { jobId: string; slice?: number },
  fence: number,
): Promise<GivenUp[]> {
  const rows = await db
    .updateTable('job_documents')
    .set({ fence: String(fence) })
    .where('job_id', '=', of.jobId)
    .where('state', 'in', ['pending', 'in_progress'])
    .$if(of.slice !== undefined, (query) => query.where('slice', '=', of.slice as number))
    .returning(['record_id', 'ref', 'kind', 'seen_at'])
    .execute()
  return rows.map((row) => ({ recordId: row.record_id, ref: row.ref, kind: row.kind, seenAt: row.seen_at }))
}

export type UnfinishedOutcome = { state: 'failed' | 'skipped'; code: string; message: string }

/** Ends the unfinished documents of a slice or job, so that the counts add up. */
export async function endUnfinished(
  db: Database,
  where: { jobId: string; slice?: number },
  error: UnfinishedOutcome,
): Promise<void> {
  await db
    .updateTable('job_documents')
    .set({ state: error.state, error_code: error.code, error_message: error.message, updated_at: new Date() })
    .where('job_id', '=', where.jobId)
    .where('state', 'in', ['pending', 'in_progress'])
    .$if(where.slice !== undefined, (query) => query.where('slice', '=', where.slice as number))
    .execute()
}

export async function recordRemoved(
  db: Database,
  jobId: string,
  removed: { recordId: string; scope: string; elements: number }[],
): Promise<void> {
  if (removed.length === 0) return
  const rows = removed.map(({ recordId, scope, elements }) => ({ record_id: recordId, scope, elements }))
  await sql`
    insert into job_documents (job_id, record_id, scope, state, kind, title, url, elements)
    select ${jobId}::uuid, d.record_id, d.scope, 'removed', 'unchanged', '', '', d.elements
    from jsonb_to_recordset(${storableJson(rows)}::jsonb) as d(record_id text, scope text, elements integer)
    on conflict (job_id, record_id) do nothing
  `.execute(db)
}

export type StateCounts = Record<DocumentState, number>

export const ZERO_COUNTS: Readonly<StateCounts> = {
  pending: 0,
  in_progress: 0,
  new: 0,
  changed: 0,
  permissions_only: 0,
  unchanged: 0,
  skipped: 0,
  failed: 0,
  removed: 0,
}

export async function countStates(db: Database, jobId: string): Promise<StateCounts> {
  const rows = await db
    .selectFrom('job_documents')
    .select(['state', (eb) => eb.fn.countAll<string>().as('count')])
    .where('job_id', '=', jobId)
    .groupBy('state')
    .execute()
  const counts = { ...ZERO_COUNTS }
  for (const row of rows) counts[row.state] = Number(row.count)
  return counts
}

/** Documents in slices that are pending or in progress. */
export async function unfinishedCount(db: Database, jobId: string): Promise<number> {
  const row = await db
    .selectFrom('job_documents')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('job_id', '=', jobId)
    .where('state', 'in', ['pending', 'in_progress'])
    .where('slice', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function listFailed(
  db: Database,
  jobId: string,
): Promise<{ document: string; error: string }[]> {
  const rows = await db
    .selectFrom('job_documents')
    .select(['record_id', 'title', 'url', 'error_message'])
    .where('job_id', '=', jobId)
    .where('state', '=', 'failed')
    .orderBy('record_id')
    .execute()
  return rows.map((row) => ({
    document: row.title ? `${row.title} (${row.record_id})` : row.record_id,
    error: row.error_message ?? 'unknown',
  }))
}

export async function failedRecords(db: Database, jobId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('job_documents')
    .select('record_id')
    .where('job_id', '=', jobId)
    .where('state', '=', 'failed')
    .execute()
  return new Set(rows.map((row) => row.record_id))
}

export type JobDocumentRow = Selectable<Schema['job_documents']>

export async function unfinishedSlices(db: Database, jobId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('job_documents')
    .select('slice')
    .distinct()
    .where('job_id', '=', jobId)
    .where('state', 'in', ['pending', 'in_progress'])
    .where('slice', 'is not', null)
    .orderBy('slice')
    .execute()
  return rows.flatMap((row) => (row.slice === null ? [] : [row.slice]))
}
