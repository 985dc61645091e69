import { type Selectable, sql } from 'kysely'
import type { DocumentRef, DocumentWarning } from '../../document.ts'
import type { DocumentStage } from '../../document-stage.ts'
import { DOCUMENT_GONE } from '../../ledger-entry.ts'
import type { Database } from '../database.ts'
import { firstPart, type ListPart, type ListRange } from '../keyset.ts'
import { NEXT_FENCE } from '../ledger/fences.ts'
import type { DocumentKind, DocumentState, Schema } from '../schema.ts'
import { storableJson } from '../storable.ts'

/** A document as listed. */
export type ListedDocument = { ref: DocumentRef; kind: DocumentKind; skipped?: Reason }
export type Reason = { code: string; message: string }

/** Other documents are finished as soon as they are listed. */
export function needsWork(kind: DocumentKind): boolean {
  return kind !== 'unchanged' && kind !== 'skipped'
}

/** `asOf` is when the listing read the permissions. */
type ListedAt = { jobId: string; asOf: Date }

/** Listed again in the same scope: the newer ref counts. In another scope: it moved and is listed once more. */
export async function recordListed(db: Database, of: ListedAt, listed: ListedDocument[]): Promise<void> {
  if (listed.length === 0) return
  const { jobId, asOf } = of
  const rows = listed.map(({ ref, kind, skipped }) => ({
    record_id: ref.recordId,
    scope: ref.scope,
    state: needsWork(kind) ? 'pending' : kind,
    stage: kind === 'permissions_only' ? 'permissions' : null,
    kind,
    // Documents that need no processing store no ref.
    ref: needsWork(kind) ? ref : null,
    title: ref.title,
    url: ref.url,
    error_code: skipped?.code ?? null,
    error_message: skipped?.message ?? null,
  }))
  const isDeferred = sql`(j.state = 'deferred')`
  // A later listing may override this; a document that a worker skipped has another kind.
  const asListed = sql`(j.state = 'unchanged' or (j.state = 'skipped' and j.kind = 'skipped'))`
  await sql`
    insert into job_documents as j (job_id, seen_at, record_id, scope, state, stage, kind, ref, title, url, error_code,
      error_message)
    select ${jobId}::uuid, ${asOf}::timestamptz, d.* from jsonb_to_recordset(${storableJson(rows)}::jsonb)
      as d(record_id text, scope text, state text, stage text, kind text, ref jsonb, title text, url text,
           error_code text, error_message text)
    on conflict (job_id, record_id) do update set
      scope = excluded.scope,
      state = case
        -- Unchanged when listed again: this job wrote it but could not record that.
        when ${isDeferred} and excluded.kind = 'unchanged' then j.kind
        when ${isDeferred} then excluded.state
        when j.scope <> excluded.scope then 'deferred'
        when ${asListed} then excluded.state
        else j.state end,
      stage = case
        when j.scope <> excluded.scope and not ${isDeferred} then null
        when excluded.kind in ('unchanged', 'skipped') then j.stage
        else excluded.stage end,
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
      deaths = case when ${isDeferred} then 0 else j.deaths end,
      -- A worker that still processes the first ref must not finish it.
      fence = case when j.scope <> excluded.scope and not ${isDeferred} then null else j.fence end,
      title = excluded.title,
      url = excluded.url,
      seen_at = excluded.seen_at
    where j.scope <> excluded.scope or j.state in ('pending', 'deferred') or ${asListed}
  `.execute(db)
}

/** Permissions are written without reading. */
const FIRST_STAGE = sql<string>`case when kind = 'permissions_only' then 'permissions' else 'read' end`

/** `asOf` is when the listing read the permissions. */
export type ClaimedDocument = { ref: DocumentRef; kind: DocumentKind; asOf: Date }
export type Claim = { fence: number; documents: ClaimedDocument[] }

/** How often the process of a document died. */
export type Deaths = 'none' | 'once' | 'often'
const DEATHS = { none: sql`deaths = 0`, once: sql`deaths = 1`, often: sql`deaths > 1` }

type ClaimRequest = { jobId: string; task: string; limit: number; deaths?: Deaths }

/**
 * Claims waiting documents for a task, in one statement with their fence. A task that is delivered again gets the
 * documents that it has claimed before.
 */
export async function claimDocuments(
  db: Database,
  { jobId, task, limit, deaths = 'none' }: ClaimRequest,
): Promise<Claim> {
  const { rows } = await sql<
    { fence: string } & ({ [key in keyof ClaimedDocument]: null } | ClaimedDocument)
  >`
    with next as (update fences set value = ${NEXT_FENCE} returning value),
    before as materialized (
      select record_id from job_documents
      where job_id = ${jobId}::uuid and state = 'in_progress' and task = ${task}::uuid
    ),
    waiting as materialized (
      select record_id from job_documents
      where job_id = ${jobId}::uuid and state = 'pending' and not exists (select from before)
        and ${DEATHS[deaths]}
      -- The most suspicious come last.
      ${deaths === 'often' ? sql`order by deaths` : sql``}
      limit ${limit} for update skip locked
    ),
    claimed as (
      update job_documents as j set state = 'in_progress', task = ${task}::uuid, attempts = j.attempts + 1,
        fence = next.value, stage = ${FIRST_STAGE}, updated_at = now()
      from next, (select record_id from before union all select record_id from waiting) as mine
      where j.job_id = ${jobId}::uuid and j.record_id = mine.record_id and j.state in ('pending', 'in_progress')
      returning j.ref, j.kind, j.seen_at as "asOf"
    )
    select next.value as fence, claimed.* from next left join claimed on true
  `.execute(db)
  return {
    fence: Number(rows[0]?.fence),
    documents: rows.flatMap(({ ref, kind, asOf }) => (ref ? [{ ref, kind, asOf }] : [])),
  }
}

export type FinishedDocument = {
  recordId: string
  state: DocumentState | 'relist'
  /** Where it failed; by default where it was. */
  stage?: DocumentStage
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
  finished: FinishedDocument[],
): Promise<void> {
  if (finished.length === 0) return
  const rows = finished.map(({ recordId, state, stage, elements, warnings, error }) => ({
    record_id: recordId,
    state: state === 'relist' ? 'deferred' : state,
    stage: stage ?? null,
    again: state === 'relist',
    elements: elements ?? null,
    warnings: warnings ?? null,
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
  }))
  await sql`
    update job_documents as j set state = d.state, elements = d.elements, warnings = d.warnings,
      stage = case when d.state = 'failed' then coalesce(d.stage, j.stage, 'read') end,
      error_code = d.error_code, error_message = d.error_message, ref = case when d.again or d.state = 'failed' then j.ref end,
      updated_at = now()
    from jsonb_to_recordset(${storableJson(rows)}::jsonb)
      as d(record_id text, state text, stage text, again boolean, elements integer, warnings jsonb, error_code text,
           error_message text)
    where j.job_id = ${by.jobId}::uuid and j.record_id = d.record_id and j.fence = ${by.fence}::bigint
  `.execute(db)
}

type OpenClaims = { fence: number; isActive: boolean; hasClaims: boolean; lost: number }

/** A fence for the next write; whether the job runs, whether the task has any claim, and how many of these it has lost. */
export async function openClaims(
  db: Database,
  by: { jobId: string; fence: number },
  recordIds: string[],
): Promise<OpenClaims> {
  const { rows } = await sql<OpenClaims>`
    with next as (update fences set value = ${NEXT_FENCE} returning value)
    select next.value::double precision as fence, exists (
        select from jobs where id = ${by.jobId}::uuid and status in ('SCHEDULED', 'IN_PROGRESS')
      ) as "isActive",
      exists (
        select from job_documents
        where job_id = ${by.jobId}::uuid and state in ('pending', 'in_progress', 'deferred')
          and fence = ${by.fence}::bigint
      ) as "hasClaims",
      (
        select count(*)::int from job_documents
        where job_id = ${by.jobId}::uuid and record_id = any(${recordIds}::text[])
          and fence is distinct from ${by.fence}::bigint
      ) as lost
    from next
  `.execute(db)
  return rows[0]!
}

/** Documents that wait to be listed again. */
export function deferredRecords(db: Database, jobId: string): Promise<Set<string>> {
  return recordsIn(db, jobId, 'deferred')
}

export function failedRecords(db: Database, jobId: string): Promise<Set<string>> {
  return recordsIn(db, jobId, 'failed')
}

async function recordsIn(db: Database, jobId: string, state: 'deferred' | 'failed'): Promise<Set<string>> {
  const rows = await db
    .selectFrom('job_documents')
    .select('record_id')
    .where('job_id', '=', jobId)
    .where('state', '=', state)
    .execute()
  return new Set(rows.map((row) => row.record_id))
}

/** Defers documents that moved during the listing, or that a worker found gone although they exist. */
export async function deferMoved(
  db: Database,
  jobId: string,
  moved: { recordId: string; scope: string }[],
): Promise<void> {
  const rows = moved.map(({ recordId, scope }) => ({ record_id: recordId, scope }))
  await sql`
    insert into job_documents as j (job_id, record_id, scope, state, kind, title, url)
    select ${jobId}::uuid, d.record_id, d.scope, 'deferred', 'changed', '', ''
    from jsonb_to_recordset(${storableJson(rows)}::jsonb) as d(record_id text, scope text)
    on conflict (job_id, record_id) do update set
      state = 'deferred', stage = null, ref = null, fence = null, error_code = null, error_message = null
    where j.state = 'skipped' and j.error_code = ${DOCUMENT_GONE}
  `.execute(db)
}

/**
 * Documents that the listing that began at `began` did not show count as unlisted. After an incomplete listing these are
 * only documents that no listing of the job found.
 */
export async function dropDeferred(
  db: Database,
  jobId: string,
  { complete, began }: { complete: boolean; began: Date },
): Promise<void> {
  await sql`
    with dropped as (
      delete from job_documents where job_id = ${jobId}::uuid and state = 'deferred'
        and ((ref is null and title = '') or (${complete}::boolean and seen_at < ${began}::timestamptz))
      returning record_id
    )
    insert into unlisted_documents (job_id, record_id) select ${jobId}::uuid, record_id from dropped
    on conflict do nothing
  `.execute(db)
}

export type UnfinishedDocument = {
  recordId: string
  ref: DocumentRef | null
  kind: DocumentKind
}

/** The unfinished documents of a job, or those that one task claimed. */
type UnfinishedOf = { jobId: string; task?: string }

function isUnfinished({ jobId, task }: UnfinishedOf) {
  const states = task
    ? sql`state = 'in_progress' and task = ${task}::uuid`
    : sql`state in ('pending', 'in_progress', 'deferred')`
  return sql<boolean>`job_id = ${jobId}::uuid and ${states}`
}

/** Claims unfinished documents for the task that ends them. */
export async function claimUnfinished(
  db: Database,
  of: UnfinishedOf,
  fence: number,
): Promise<UnfinishedDocument[]> {
  return db
    .updateTable('job_documents')
    .set({ fence: String(fence) })
    .where(isUnfinished(of))
    .returning(['record_id as recordId', 'ref', 'kind'])
    .execute()
}

type UnfinishedOutcome = { state: 'failed' | 'skipped'; code: string; message: string }

/** Ends unfinished documents, so that the counts add up. Skipped ones stay before their first stage. */
export async function endUnfinished(db: Database, of: UnfinishedOf, error: UnfinishedOutcome): Promise<void> {
  await db
    .updateTable('job_documents')
    .set({
      state: error.state,
      stage: error.state === 'failed' ? sql<string>`coalesce(stage, 'read')` : FIRST_STAGE,
      error_code: error.code,
      error_message: error.message,
      updated_at: new Date(),
    })
    .where(isUnfinished(of))
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

/** Whether the listing has ended and no document waits or is being processed. */
export async function isReadyToFinish(db: Database, jobId: string): Promise<boolean> {
  const { rows } = await sql<{ ready: boolean }>`
    select listed and not exists (
      select from job_documents where job_id = jobs.id and state in ('pending', 'in_progress')
    ) as ready
    from jobs where id = ${jobId}::uuid and status in ('SCHEDULED', 'IN_PROGRESS')
  `.execute(db)
  return rows[0]?.ready ?? false
}

export async function listFailed(
  db: Database,
  jobId: string,
  { limit, cursor }: ListRange,
): Promise<ListPart<{ document: string; error: string }>> {
  const found = await db
    .selectFrom('job_documents')
    .select(['record_id', 'title', 'url', 'error_message'])
    .where('job_id', '=', jobId)
    .where('state', '=', 'failed')
    .$if(cursor !== null, (query) => query.where('record_id', '>', cursor as string))
    .orderBy('record_id')
    .limit(limit + 1)
    .execute()
  const { rows, next } = firstPart(found, limit, (row) => row.record_id)
  return {
    rows: rows.map((row) => ({
      document: row.title ? `${row.title} (${row.record_id})` : row.record_id,
      error: row.error_message ?? 'unknown',
    })),
    next,
  }
}

export async function countErrors<Code extends string>(
  db: Database,
  jobId: string,
  codes: readonly Code[],
): Promise<{ code: Code; documents: number }[]> {
  const { rows } = await sql<{ code: Code; documents: number }>`
    select error_code as code, count(*)::double precision as documents from job_documents
    where job_id = ${jobId}::uuid and state in ('failed', 'skipped') and error_code = any(${codes}::text[])
    group by error_code order by error_code
  `.execute(db)
  return rows
}

export type JobDocumentRow = Selectable<Schema['job_documents']>

/** Claimed documents wait again. */
function release(db: Database, jobId: string) {
  return db
    .updateTable('job_documents')
    .set({
      state: 'pending',
      stage: sql<string | null>`case when kind = 'permissions_only' then 'permissions' end`,
      task: null,
      fence: null,
    })
    .where('job_id', '=', jobId)
    .where('state', '=', 'in_progress')
}

/** Makes documents of a claim wait again, as if it had not claimed them; returns how many of them it still had. */
export async function releaseClaimed(
  db: Database,
  by: { jobId: string; fence: number },
  recordIds: string[],
): Promise<number> {
  const { numUpdatedRows } = await release(db, by.jobId)
    .set({ attempts: sql`attempts - 1` })
    .where('record_id', 'in', recordIds)
    .where('fence', '=', String(by.fence))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Makes the documents of a task wait again. */
export async function releaseTask(
  db: Database,
  { jobId, task }: { jobId: string; task: string },
): Promise<void> {
  await release(db, jobId).where('task', '=', task).execute()
}

/** How many documents wait: those whose process died are processed one by one. */
type WaitingDocuments = { documents: number; suspects: number }

/** Makes documents wait again whose task no longer exists; returns how many documents wait. */
export async function releaseClaims(db: Database, jobId: string): Promise<WaitingDocuments> {
  await release(db, jobId).execute()
  const { rows } = await sql<WaitingDocuments>`
    select (count(*) filter (where deaths = 0))::int as documents, (count(*) filter (where deaths > 0))::int as suspects
    from job_documents where job_id = ${jobId}::uuid and state = 'pending'
  `.execute(db)
  return rows[0] ?? { documents: 0, suspects: 0 }
}

/** How many documents wait whose process died, by how often it did. */
export async function countSuspects(db: Database, jobId: string): Promise<{ once: number; often: number }> {
  const { rows } = await sql<{ once: number; often: number }>`
    select (count(*) filter (where ${DEATHS.once}))::int as once, (count(*) filter (where ${DEATHS.often}))::int as often
    from job_documents where job_id = ${jobId}::uuid and state = 'pending' and deaths > 0
  `.execute(db)
  return rows[0] ?? { once: 0, often: 0 }
}

/**
 * Counts the death of a task's process for the documents that it was processing. They wait again, except those that
 * reached `maxDeaths`, which stay claimed.
 */
export async function recordDeath(
  db: Database,
  { jobId, task, maxDeaths }: { jobId: string; task: string; maxDeaths: number },
): Promise<{ setAside: number }> {
  const rows = await db
    .updateTable('job_documents')
    .set({ deaths: sql<number>`deaths + 1` })
    .where('job_id', '=', jobId)
    .where('state', '=', 'in_progress')
    .where('task', '=', task)
    .returning(['record_id', 'deaths'])
    .execute()
  const waiting = rows.filter(({ deaths }) => deaths < maxDeaths).map((row) => row.record_id)
  if (waiting.length > 0) await release(db, jobId).where('record_id', 'in', waiting).execute()
  return { setAside: rows.length - waiting.length }
}
