import { type Selectable, sql } from 'kysely'
import type { Warning } from '../../report.ts'
import type { Database } from '../database.ts'
import type { JobSettings, JobStatus, JobType, ProcessingStatus, Schema } from '../schema.ts'
import { storableJson } from '../storable.ts'

export type JobRow = Selectable<Schema['jobs']>

export const ACTIVE: JobStatus[] = ['SCHEDULED', 'IN_PROGRESS']

export type NewJob = {
  id: string
  workspaceId: string
  workflowId: string
  workflowName: string
  jobType: JobType
  startedBy: string | null
  /** Warnings known before the start. */
  warnings?: Warning[]
  settings: JobSettings
}

/** Returns the id of the active job instead, if there is one. */
export async function insertJob(
  db: Database,
  job: NewJob,
): Promise<{ inserted: JobRow } | { active: string }> {
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
      started_by: job.startedBy,
      settings: storableJson(job.settings),
      closed_scopes: '{}',
      warnings: storableJson(job.warnings ?? []),
    })
    .onConflict((conflict) => conflict.column('workflow_id').where('status', 'in', ACTIVE).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (inserted) return { inserted }
  const active = await activeJobOf(db, job.workflowId)
  return active ? { active } : insertJob(db, job)
}

export async function activeJobOf(db: Database, workflowId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('jobs')
    .select('id')
    .where('workflow_id', '=', workflowId)
    .where('status', 'in', ACTIVE)
    .executeTakeFirst()
  return row?.id
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

export async function listJobs(
  db: Database,
  workspaceId: string,
  filter: { workflowId?: string; status?: JobStatus },
): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .$if(filter.workflowId !== undefined, (query) =>
      query.where('workflow_id', '=', filter.workflowId as string),
    )
    .$if(filter.status !== undefined, (query) => query.where('status', '=', filter.status as JobStatus))
    .orderBy('created_at', 'desc')
    .limit(1000)
    .execute()
}

/** For the sweep that restarts forgotten jobs. */
export async function listActiveJobs(db: Database): Promise<JobRow[]> {
  return db.selectFrom('jobs').selectAll().where('status', 'in', ACTIVE).execute()
}

export async function isActive(db: Database, id: string): Promise<boolean> {
  const row = await db.selectFrom('jobs').select('status').where('id', '=', id).executeTakeFirst()
  return row !== undefined && ACTIVE.includes(row.status)
}

export async function markStarted(db: Database, id: string): Promise<void> {
  await db
    .updateTable('jobs')
    .set({
      status: 'IN_PROGRESS',
      processing_status: 'IN_PROGRESS',
      started_at: sql`coalesce(started_at, now())`,
    })
    .where('id', '=', id)
    .where('status', 'in', ACTIVE)
    .execute()
}

export async function closeScope(
  db: Database,
  id: string,
  scope: { name: string; upTo: string | null },
): Promise<void> {
  await sql`update jobs set closed_scopes = closed_scopes || ${storableJson({ [scope.name]: scope.upTo })}::jsonb where id = ${id}::uuid`.execute(
    db,
  )
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
      message = case when status = any(${ACTIVE}::text[]) then message
                     else concat_ws(' ', message, ${`${warning.message}.`}::text) end
    where id = ${id}::uuid and not warnings @> ${json}::jsonb
  `.execute(db)
}

export async function nextSlice(db: Database, id: string): Promise<number> {
  const row = await db
    .updateTable('jobs')
    .set({ slices: sql`slices + 1` })
    .where('id', '=', id)
    .returning('slices')
    .executeTakeFirstOrThrow()
  return row.slices - 1
}

export async function markListed(db: Database, id: string, complete: boolean): Promise<void> {
  await db.updateTable('jobs').set({ listed: true, complete }).where('id', '=', id).execute()
}

/** Reopens the listing for documents that changed after they were listed. */
export async function reopenListing(db: Database, id: string): Promise<void> {
  await db.updateTable('jobs').set({ listed: false, looks: sql`looks + 1` }).where('id', '=', id).execute()
}

/** A restarted listing lists every scope again. */
export async function openScopes(db: Database, id: string): Promise<void> {
  await db.updateTable('jobs').set({ closed_scopes: '{}' }).where('id', '=', id).execute()
}

/** The index the job started with; the first process decides. */
export async function pinIndex(db: Database, id: string, identity: string): Promise<string> {
  const row = await db
    .updateTable('jobs')
    .set({ index_identity: sql`coalesce(index_identity, ${identity})` })
    .where('id', '=', id)
    .returning('index_identity')
    .executeTakeFirst()
  return row?.index_identity ?? identity
}

export async function addRemoved(db: Database, id: string, removed: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ removed: sql`removed + ${removed}` })
    .where('id', '=', id)
    .execute()
}

export async function setHeldBack(db: Database, id: string, heldBack: number): Promise<void> {
  await db.updateTable('jobs').set({ held_back: heldBack }).where('id', '=', id).execute()
}

export type JobEnd = {
  status: JobStatus
  processingStatus: ProcessingStatus
  message: string | null
  /** Added to the earlier warnings. */
  warnings?: Warning[]
}

/** True for the one caller that ended the job. */
export async function endJob(db: Database, id: string, ending: JobEnd): Promise<boolean> {
  const row = await db
    .updateTable('jobs')
    .set({
      status: ending.status,
      processing_status: ending.processingStatus,
      message: ending.message,
      warnings: sql`warnings || ${storableJson(ending.warnings ?? [])}::jsonb`,
      finished_at: new Date(),
    })
    .where('id', '=', id)
    .where('status', 'in', ACTIVE)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
