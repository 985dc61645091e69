import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { ACTIVE_STATUSES } from './jobs.ts'

/** What jobs of uploaded files use, of one workspace or of all. */
export type UploadUsage = {
  activeJobs: number
  /** Files of active jobs; those of ended jobs are deleted soon. */
  uploadBytes: number
  /** Results that can be downloaded. */
  outputBytes: number
}

/** Makes starts of one workspace wait for each other, in all processes, until the transaction ends. */
export async function lockUploads(transaction: Database, workspaceId: string): Promise<UploadUsage> {
  await sql`select pg_advisory_xact_lock(hashtextextended('uploads ' || ${workspaceId}::text, 0))`.execute(
    transaction,
  )
  return uploadUsage(transaction, workspaceId)
}

/** Makes writers of results wait for each other until the transaction ends. */
export async function lockOutputs(transaction: Database, workspaceId: string): Promise<number> {
  await sql`insert into upload_usage (workspace_id) values (${workspaceId}) on conflict do nothing`.execute(
    transaction,
  )
  const { rows } = await sql<{ output_bytes: string }>`
    select output_bytes from upload_usage where workspace_id = ${workspaceId} for update
  `.execute(transaction)
  return Number(rows[0]?.output_bytes ?? 0)
}

/** Null means all workspaces. */
export async function uploadUsage(db: Database, workspaceId: string | null): Promise<UploadUsage> {
  const { rows } = await sql<UploadUsage>`
    select
      (select count(*)::int from jobs
        where status = any(${ACTIVE_STATUSES}::text[]) and kind = 'content'
          and settings->>'source_id' is null and settings->>'destination_id' is null
          and not settings ? 'remove_elements'
          and (${workspaceId}::uuid is null or workspace_id = ${workspaceId}::uuid)) as "activeJobs",
      (select coalesce(sum(octet_length(u.content)), 0)::double precision from uploads as u join jobs as j on j.id = u.job_id
        where u.content is not null and j.status = any(${ACTIVE_STATUSES}::text[])
          and (${workspaceId}::uuid is null or j.workspace_id = ${workspaceId}::uuid)) as "uploadBytes",
      (select coalesce(sum(output_bytes), 0)::double precision from upload_usage
        where ${workspaceId}::uuid is null or workspace_id = ${workspaceId}::uuid) as "outputBytes"
  `.execute(db)
  return rows[0]!
}
