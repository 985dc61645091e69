import { type Selectable, sql } from 'kysely'
import type { DocumentRef } from '../document.ts'
import type { Database } from './database.ts'
import type { DocumentKind, DocumentState, Schema } from './schema.ts'

/** What one run saw of each document and did with it. */
export type Seen = { ref: DocumentRef; kind: DocumentKind; slice: number | null }

/** Idempotent: a document that this run has seen already keeps what is known of it. */
export async function recordSeen(db: Database, jobId: string, seen: Seen[]): Promise<void> {
  if (seen.length === 0) return
  const rows = seen.map(({ ref, kind, slice }) => ({
    record_id: ref.recordId,
    scope: ref.scope,
    slice,
    state: kind === 'unchanged' ? 'unchanged' : 'pending',
    kind,
    // What is unchanged needs no second look, so its ref is not kept.
    ref: kind === 'unchanged' ? null : ref,
    title: ref.title,
    url: ref.url,
  }))
  await sql`
    insert into job_documents (job_id, record_id, scope, slice, state, kind, ref, title, url)
    select ${jobId}::uuid, d.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as d(record_id text, scope text, slice integer, state text, kind text, ref jsonb, title text, url text)
    on conflict (job_id, record_id) do nothing
  `.execute(db)
}

/** Takes the unfinished documents of a slice: the same ones each time the slice is done again. */
export async function takeSlice(
  db: Database,
  jobId: string,
  slice: number,
): Promise<{ ref: DocumentRef; kind: DocumentKind }[]> {
  const rows = await db
    .updateTable('job_documents')
    .set({ state: 'in_progress', attempts: sql`attempts + 1`, updated_at: new Date() })
    .where('job_id', '=', jobId)
    .where('slice', '=', slice)
    .where('state', 'in', ['pending', 'in_progress'])
    .returning(['ref', 'kind'])
    .execute()
  return rows.flatMap((row) => (row.ref ? [{ ref: row.ref, kind: row.kind }] : []))
}

export type Finished = {
  recordId: string
  state: DocumentState
  elements?: number
  error?: { code: string; message: string }
}

/** Outcomes of documents; the ref has done its work and is dropped, except for what may be tried again. */
export async function finishDocuments(db: Database, jobId: string, finished: Finished[]): Promise<void> {
  if (finished.length === 0) return
  const rows = finished.map(({ recordId, state, elements, error }) => ({
    record_id: recordId,
    state,
    elements: elements ?? null,
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
  }))
  await sql`
    update job_documents as j set state = d.state, elements = d.elements, error_code = d.error_code,
      error_message = d.error_message, ref = case when d.state = 'failed' then j.ref end, updated_at = now()
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as d(record_id text, state text, elements integer, error_code text, error_message text)
    where j.job_id = ${jobId}::uuid and j.record_id = d.record_id
  `.execute(db)
}

export type LeftOver = { state: 'failed' | 'skipped'; code: string; message: string }

/** What is left of a slice that cannot be done, or of a whole run, ends here, so that the counts always add up. */
export async function endUnfinished(
  db: Database,
  where: { jobId: string; slice?: number },
  error: LeftOver,
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
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d(record_id text, scope text, elements integer)
    on conflict (job_id, record_id) do nothing
  `.execute(db)
}

export type StateCounts = Record<DocumentState, number>

export async function countStates(db: Database, jobId: string): Promise<StateCounts> {
  const rows = await db
    .selectFrom('job_documents')
    .select(['state', (eb) => eb.fn.countAll<string>().as('count')])
    .where('job_id', '=', jobId)
    .groupBy('state')
    .execute()
  const counts: StateCounts = {
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
  for (const row of rows) counts[row.state] = Number(row.count)
  return counts
}

export async function unfinishedCount(db: Database, jobId: string): Promise<number> {
  const row = await db
    .selectFrom('job_documents')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('job_id', '=', jobId)
    .where('state', 'in', ['pending', 'in_progress'])
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

/** The record ids of what failed in a run, for a run of those alone. */
export async function failedRecords(db: Database, jobId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('job_documents')
    .select('record_id')
    .where('job_id', '=', jobId)
    .where('state', '=', 'failed')
    .execute()
  return new Set(rows.map((row) => row.record_id))
}

export type DocumentFilter = {
  state?: DocumentState
  error?: string
  scope?: string
  after: string
  limit: number
}
export type JobDocumentRow = Selectable<Schema['job_documents']>

export async function listDocuments(
  db: Database,
  jobId: string,
  filter: DocumentFilter,
): Promise<JobDocumentRow[]> {
  let query = db.selectFrom('job_documents').selectAll().where('job_id', '=', jobId)
  if (filter.state) query = query.where('state', '=', filter.state)
  if (filter.error) query = query.where('error_code', '=', filter.error)
  if (filter.scope) query = query.where('scope', '=', filter.scope)
  return query.where('record_id', '>', filter.after).orderBy('record_id').limit(filter.limit).execute()
}

/** Slices of a run that still hold unfinished documents. */
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
