import { sql } from 'kysely'
import type { Database } from '../../store/database.ts'
import type { JobRow } from '../../store/jobs/jobs.ts'
import { recordJobProgress } from '../../store/notifications/job-events.ts'

/** Sends the progress of running jobs, if a channel wants it. */
export async function recordProgressEvents(db: Database): Promise<void> {
  const { rows } = await sql<JobRow>`
    select j.* from jobs as j where j.status = 'IN_PROGRESS' and j.kind = 'content' and exists (
      select from notification_channels as c
      where c.workspace_id = j.workspace_id and c.enabled and 'job.progress' = any(c.event_types)
        and (c.workflow_id is null or c.workflow_id = j.workflow_id))
  `.execute(db)
  for (const job of rows) await recordJobProgress(db, job)
}
