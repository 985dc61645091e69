import { type Selectable, sql } from 'kysely'
import type { ErrorCode } from '../../errors.ts'
import type { Warning } from '../../report.ts'
import { type Database, inTransaction } from '../database.ts'
import { type ListPart, type ListRange, readPart } from '../keyset.ts'
import { recordHeldBack, recordJobEnd, recordJobStatus } from '../notifications/job-events.ts'
import type {
  JobKind,
  JobSettings,
  JobStatus,
  JobType,
  ProcessingStatus,
  RunEstimate,
  Schema,
  SwapState,
} from '../schema.ts'
import { storableJson } from '../storable.ts'

export type JobRow = Selectable<Schema['jobs']>

export const ACTIVE_STATUSES: JobStatus[] = ['SCHEDULED', 'IN_PROGRESS']

export type NewJob = {
  id: string
  workspaceId: string
  workflowId: string
  workflowName: string
  jobType: JobType
  kind?: JobKind
  startedBy: string | null
  /** Warnings known before the start. */
  warnings?: Warning[]
  settings: Omit<JobSettings, 'source_type' | 'destination_type'>
  estimate?: RunEstimate | null
}

/** Returns the id of the active job instead, if there is one. */
export async function insertJob(
  db: Database,
  job: NewJob,
): Promise<{ inserted: JobRow } | { active: string }> {
  const { kind = 'content' } = job
  const inserted = await inTransaction(db, (transaction) => insertRow(transaction, { ...job, kind }))
  if (inserted) return { inserted }
  const active = await activeJobOf(db, job.workflowId, kind)
  return active ? { active } : insertJob(db, job)
}

async function insertRow(db: Database, job: NewJob & { kind: JobKind }): Promise<JobRow | undefined> {
  const inserted = await db
    .insertInto('jobs')
    .values({
      id: job.id,
      workspace_id: job.workspaceId,
      workflow_id: job.workflowId,
      workflow_name: job.workflowName,
      status: 'SCHEDULED',
      processing_status: 'SCHEDULED',
      job_type: job.jobType,
      kind: job.kind,
      started_by: job.startedBy,
      settings: storableJson({ ...job.settings, ...(await connectorTypes(db, job.settings)) }),
      estimate: job.estimate ? storableJson(job.estimate) : null,
      warnings: storableJson(job.warnings ?? []),
    })
    .onConflict((conflict) =>
      conflict.columns(['workflow_id', 'kind']).where('status', 'in', ACTIVE_STATUSES).doNothing(),
    )
    .returningAll()
    .executeTakeFirst()
  if (inserted) await recordJobStatus(db, inserted)
  return inserted
}

/** Recorded, because a connector may be deleted before its jobs. */
async function connectorTypes(
  db: Database,
  { source_id: sourceId, destination_id: destinationId }: NewJob['settings'],
): Promise<Pick<JobSettings, 'source_type' | 'destination_type'>> {
  const rows = await db
    .selectFrom('connectors')
    .select(['kind', 'type'])
    .where('id', '=', sql<string>`any(${[sourceId, destinationId]}::uuid[])`)
    .execute()
  return Object.fromEntries(rows.map(({ kind, type }) => [`${kind}_type`, type]))
}

export async function activeJobOf(
  db: Database,
  workflowId: string,
  kind: JobKind = 'content',
): Promise<string | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select('id')
    .where('workflow_id', '=', workflowId)
    .where('kind', '=', kind)
    .where('status', 'in', ACTIVE_STATUSES)
    .executeTakeFirst()
  return row?.id
}

/** A job that reads the source of one of these workflows. */
export async function readingJobOf(db: Database, workflowIds: string[]): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('workflow_id', '=', sql<string>`any(${workflowIds}::uuid[])`)
    .where('kind', 'in', ['content', 'permissions'])
    .where('status', 'in', ACTIVE_STATUSES)
    .limit(1)
    .executeTakeFirst()
}

export async function readJob(db: Database, id: string): Promise<JobRow | undefined> {
  return db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function readJobIn(db: Database, workspaceId: string, id: string): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
}

const LIST_ORDER = { at: 'created_at', id: 'id', direction: 'desc' } as const

type JobFilter = {
  kind?: JobKind
  workflowId?: string | undefined
  status?: JobStatus | undefined
  createdAfter?: string | undefined
  createdBefore?: string | undefined
}

/** Newest first. */
export async function listJobs(
  db: Database,
  workspaceId: string,
  { kind = 'content', workflowId, status, createdAfter, createdBefore, ...range }: JobFilter & ListRange,
): Promise<ListPart<JobRow>> {
  let query = db
    .selectFrom('jobs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
  if (workflowId) query = query.where('workflow_id', '=', workflowId)
  if (status) query = query.where('status', '=', status)
  if (createdAfter) query = query.where('created_at', '>=', sql<Date>`${createdAfter}::timestamptz`)
  if (createdBefore) query = query.where('created_at', '<', sql<Date>`${createdBefore}::timestamptz`)
  return readPart(query, LIST_ORDER, range)
}

/** The latest job of a workflow. */
export async function latestJobOf(
  db: Database,
  workspaceId: string,
  workflowId: string,
): Promise<JobRow | undefined> {
  const { rows } = await listJobs(db, workspaceId, { workflowId, limit: 1, cursor: null })
  return rows[0]
}

/** Jobs that remove the elements of deleted workflows from this destination. */
export async function activeRemovalsFrom(db: Database, destinationId: string): Promise<JobRow[]> {
  return activeRemovals(db).where(sql`settings->>'destination_id'`, '=', destinationId).execute()
}

/** Which of these workflows have elements that a job is removing. */
export async function workflowsBeingRemoved(db: Database, workflowIds: string[]): Promise<Set<string>> {
  const rows = await activeRemovals(db)
    .where('workflow_id', '=', sql<string>`any(${workflowIds}::uuid[])`)
    .execute()
  return new Set(rows.map((row) => row.workflow_id))
}

function activeRemovals(db: Database) {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('status', 'in', ACTIVE_STATUSES)
    .where(sql<boolean>`settings ? 'remove_elements'`)
}

/** For the recovery of jobs that lost their task. */
export async function listActiveJobs(db: Database): Promise<JobRow[]> {
  return db.selectFrom('jobs').selectAll().where('status', 'in', ACTIVE_STATUSES).execute()
}

export async function isActive(db: Database, id: string): Promise<boolean> {
  return (await whichActive(db, [id])).has(id)
}

/** Whether the job is active; it stays so until the transaction ends. */
export async function holdActive(transaction: Database, id: string): Promise<boolean> {
  const { rows } = await sql`
    select id from jobs where id = ${id}::uuid and status = any(${ACTIVE_STATUSES}::text[]) for share
  `.execute(transaction)
  return rows.length > 0
}

/** Which of these jobs are active. */
export async function whichActive(db: Database, ids: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('id', 'in', ids)
    .where('status', 'in', ACTIVE_STATUSES)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Has no effect on a job that started already. */
export async function markStarted(db: Database, id: string): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const started = await transaction
      .updateTable('jobs')
      .set({ status: 'IN_PROGRESS', processing_status: 'IN_PROGRESS', started_at: sql`now()` })
      .where('id', '=', id)
      .where('status', '=', 'SCHEDULED')
      .returningAll()
      .executeTakeFirst()
    if (started) await recordJobStatus(transaction, started)
  })
}

/** Adds a warning once, even if an interrupted listing repeats it. */
export async function addWarning(db: Database, id: string, warning: Warning): Promise<void> {
  const json = storableJson([warning])
  await sql`update jobs set warnings = warnings || ${json}::jsonb where id = ${id}::uuid and not warnings @> ${json}::jsonb`.execute(
    db,
  )
}

/** Adds a warning; if the job has ended, also to its message. */
export async function addLateWarning(db: Database, id: string, warning: Warning): Promise<void> {
  const json = storableJson([warning])
  await sql`
    update jobs set warnings = warnings || ${json}::jsonb,
      message = case when status = any(${ACTIVE_STATUSES}::text[]) then message
                     else concat_ws(' ', message, ${`${warning.message}.`}::text) end
    where id = ${id}::uuid and not warnings @> ${json}::jsonb
  `.execute(db)
}

/** Adds the time that a task spent on each step. */
export async function addStepTimes(db: Database, id: string, spent: JobRow['step_ms']): Promise<void> {
  await sql`
    update jobs set step_ms = (
      select jsonb_object_agg(step, ms) from (
        select key as step, sum(value::double precision) as ms
        from (select * from jsonb_each_text(step_ms) union all select * from jsonb_each_text(${storableJson(spent)}::jsonb)) as part
        group by key
      ) as total
    )
    where id = ${id}::uuid and ${storableJson(spent)}::jsonb <> '{}'
  `.execute(db)
}

/** Numbers for new content tasks; returns the first. */
export async function numberTasks(db: Database, id: string, count: number): Promise<number> {
  const row = await db
    .updateTable('jobs')
    .set({ slices: sql`slices + ${count}` })
    .where('id', '=', id)
    .returning('slices')
    .executeTakeFirstOrThrow()
  return row.slices - count
}

/** Has no effect if the listing was reopened meanwhile. */
export async function markListed(
  db: Database,
  { id, listing_round: round }: Pick<JobRow, 'id' | 'listing_round'>,
  complete: boolean,
): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ listed: true, complete })
    .where('id', '=', id)
    .where('listing_round', '=', round)
    .execute()
}

/** Reopens a listing for documents that changed after it. False if another task reopened it first. */
export async function reopenListing(
  db: Database,
  { id, listing_round: round }: Pick<JobRow, 'id' | 'listing_round'>,
): Promise<boolean> {
  const row = await db
    .updateTable('jobs')
    .set({ listed: false, listing_round: sql`listing_round + 1` })
    .where('id', '=', id)
    .where('listed', '=', true)
    .where('listing_round', '=', round)
    .where('status', 'in', ACTIVE_STATUSES)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The index the job started with; the first process decides. */
export function pinIndex(db: Database, id: string, identity: string): Promise<string> {
  return pin(db, id, { column: 'index_identity', value: identity })
}

/** The settings hash the job started with; the first process decides. */
export function pinSettings(db: Database, id: string, hash: string): Promise<string> {
  return pin(db, id, { column: 'settings_hash', value: hash })
}

/** How the job writes; the first process decides. */
export function pinSwap(db: Database, id: string, state: SwapState): Promise<SwapState> {
  return pin(db, id, { column: 'swap', value: state })
}

async function pin<Value extends string>(
  db: Database,
  id: string,
  { column, value }: { column: 'index_identity' | 'settings_hash' | 'swap'; value: Value },
): Promise<Value> {
  const { rows } = await sql<{ pinned: Value }>`
    update jobs set ${sql.ref(column)} = coalesce(${sql.ref(column)}, ${value}) where id = ${id}::uuid
    returning ${sql.ref(column)} as pinned
  `.execute(db)
  return rows[0]?.pinned ?? value
}

export async function addRemoved(db: Database, id: string, removed: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ removed: sql`removed + ${removed}` })
    .where('id', '=', id)
    .execute()
}

export async function setHeldBack(db: Database, id: string, heldBack: number): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const job = await transaction
      .updateTable('jobs')
      .set({ held_back: heldBack })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    if (job) await recordHeldBack(transaction, job)
  })
}

export type JobEnd = {
  status: JobStatus
  processingStatus: ProcessingStatus
  message: string | null
  /** Added to the earlier warnings. */
  warnings?: Warning[]
  /** Ends the job only if its listing has ended and no document is unfinished. */
  onlyIfDone?: boolean
  /** Why it failed. */
  errorCode?: ErrorCode
}

/** True for the one caller that ended the job. */
export async function endJob(db: Database, id: string, ending: JobEnd): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const ended = await endRow(transaction, id, ending)
    if (ended) await recordJobEnd(transaction, ended, ending.errorCode ?? null)
    return ended !== undefined
  })
}

async function endRow(db: Database, id: string, ending: JobEnd): Promise<JobRow | undefined> {
  return db
    .updateTable('jobs')
    .set({
      status: ending.status,
      processing_status: ending.processingStatus,
      message: ending.message,
      error_code: ending.errorCode ?? null,
      warnings: sql`warnings || ${storableJson(ending.warnings ?? [])}::jsonb`,
      finished_at: new Date(),
    })
    .where('id', '=', id)
    .where('status', 'in', ACTIVE_STATUSES)
    .$if(ending.onlyIfDone === true, (query) =>
      query
        .where('listed', '=', true)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('job_documents')
                .select('record_id')
                .whereRef('job_id', '=', 'jobs.id')
                .where('state', 'in', ['pending', 'in_progress', 'deferred']),
            ),
          ),
        ),
    )
    .returningAll()
    .executeTakeFirst()
}
