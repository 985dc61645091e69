import type { Selectable } from 'kysely'
import { incompleteOf } from '../../report.ts'
import type { Database } from '../database.ts'
import { countStates } from '../jobs/job-counts.ts'
import type { JobStatus, Schema } from '../schema.ts'
import {
  clearCondition,
  clearConnectorFailures,
  recordConnectorFailure,
  reportCondition,
} from './conditions.ts'
import { type EventType, recordBriefEvent, recordEvent } from './events.ts'

type Job = Selectable<Schema['jobs']>

const TYPES: Record<JobStatus, EventType> = {
  SCHEDULED: 'job.scheduled',
  IN_PROGRESS: 'job.in_progress',
  COMPLETED: 'job.completed',
  STOPPED: 'job.stopped',
  FAILED: 'job.failed',
}

/** The status of a job changed. Permission passes and verifications have no events of their own. */
export async function recordJobStatus(
  db: Database,
  job: Job,
  errorCode: string | null = null,
): Promise<void> {
  if (job.kind === 'content')
    await recordEvent(db, { type: TYPES[job.status], ...(await jobEvent(db, job, errorCode)) })
}

export async function recordJobProgress(db: Database, job: Job): Promise<void> {
  await recordBriefEvent(db, { type: 'job.progress', ...(await jobEvent(db, job, null)) })
}

/** The end of any job also shows which connectors work. */
export async function recordJobEnd(db: Database, job: Job, errorCode: string | null): Promise<void> {
  await recordJobStatus(db, job, errorCode)
  const { source_id: sourceId, destination_id: destinationId } = job.settings
  if (job.status === 'FAILED' && errorCode) {
    const connectorId = errorCode.startsWith('source_')
      ? sourceId
      : errorCode.startsWith('destination_')
        ? destinationId
        : null
    if (connectorId) await recordConnectorFailure(db, { connectorId, errorCode })
  }
  if (job.status !== 'COMPLETED') return
  // A pass with errors may not have written to the destination.
  const isDestinationProved = job.kind !== 'permissions' || job.processing_status === 'SUCCESS'
  await clearConnectorFailures(db, [sourceId, isDestinationProved ? destinationId : null])
  if (job.kind === 'content' && job.complete && job.held_back === 0)
    await clearCondition(db, { type: 'deletions.held_back', subject: job.workflow_id })
}

/** Reported once until a run holds nothing back, or a person approves. */
export async function recordHeldBack(db: Database, job: Job): Promise<void> {
  const condition = { type: 'deletions.held_back', subject: job.workflow_id } as const
  if (job.held_back === 0) return clearCondition(db, condition)
  await reportCondition(db, {
    ...condition,
    workspaceId: job.workspace_id,
    workflowId: job.workflow_id,
    details: { job: identityOf(job), held_back: job.held_back },
  })
}

function identityOf({ id, workflow_id, workflow_name }: Job) {
  return { job_id: id, workflow_id, workflow_name }
}

async function jobEvent(db: Database, job: Job, errorCode: string | null) {
  const states = await countStates(db, job.id)
  const end = job.finished_at ?? new Date()
  return {
    workspaceId: job.workspace_id,
    workflowId: job.workflow_id,
    details: {
      job: {
        ...identityOf(job),
        job_type: job.job_type,
        status: job.status,
        processing_status: job.processing_status,
        created_at: job.created_at.toISOString(),
        started_at: job.started_at?.toISOString() ?? null,
        finished_at: job.finished_at?.toISOString() ?? null,
        counts: {
          new: states.new,
          changed: states.changed + states.permissions_only,
          unchanged: states.unchanged,
          skipped: states.skipped,
          failed: states.failed,
          removed: job.removed,
          unfinished: states.pending + states.in_progress,
        },
        held_back: job.held_back,
        incomplete: incompleteOf(job.warnings, job.settings.source_id ?? null),
        ...(errorCode ? { error_code: errorCode } : {}),
      },
      processing_time_ms: job.started_at ? Math.max(0, end.getTime() - job.started_at.getTime()) : 0,
    },
  }
}
