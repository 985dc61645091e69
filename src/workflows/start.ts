import { randomUUID } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { TaskQueue } from '../jobs/engine.ts'
import { nodeWarnings, storedNodes } from '../pipeline/nodes.ts'
import type { Database } from '../store/database.ts'
import { insertJob, type JobRow } from '../store/jobs/jobs.ts'
import type { JobType } from '../store/schema.ts'
import { readWorkflow, type WorkflowRow } from '../store/workflows/workflows.ts'

/** `startedBy` is who asked for it, as the audit log names them; null where a schedule did. */
export type Starting = { jobType: JobType; startedBy: string | null; retryOf?: string; repair?: true }

/** A workflow runs as a job. Refused with the id of the job that is still active, where there is one. */
export async function startJob(
  workflow: WorkflowRow,
  { jobType, startedBy, retryOf, repair }: Starting,
  { db, engine }: { db: Database; engine: TaskQueue },
): Promise<JobRow> {
  if (!workflow.source_id || !workflow.destination_id) {
    throw new AppError('not_possible', `the workflow "${workflow.name}" has no source or no destination`, {
      fix: 'Give it both before it is run',
    })
  }
  if (workflow.state === 'inactive') {
    throw new AppError('not_possible', `the workflow "${workflow.name}" is inactive`, {
      fix: 'Activate it before it is run',
    })
  }
  const outcome = await insertJob(db, {
    id: randomUUID(),
    workspaceId: workflow.workspace_id,
    workflowId: workflow.id,
    workflowName: workflow.name,
    jobType,
    startedBy,
    warnings: nodeWarnings(storedNodes(workflow)),
    settings: {
      source_id: workflow.source_id,
      destination_id: workflow.destination_id,
      nodes: workflow.nodes,
      reprocess_all: workflow.reprocess_all,
      ...(retryOf ? { retry_of: retryOf } : {}),
      ...(repair ? { repair } : {}),
      // A run of some documents alone could not make a new index whole.
      ...(workflow.swap_index && !retryOf && !repair ? { swap_index: true as const } : {}),
    },
  })
  if ('active' in outcome) {
    throw new AppError(
      'job_active',
      `the workflow "${workflow.name}" is already running as job ${outcome.active}`,
      {
        fix: 'Wait for it or cancel it',
      },
    )
  }
  await engine.send('list', { jobId: outcome.inserted.id })
  return outcome.inserted
}

/** A schedule came due. A run that is still going on is let go on: two never overlap. */
export async function startScheduled(
  workflowId: string,
  setting: { db: Database; engine: TaskQueue },
): Promise<void> {
  const workflow = await readWorkflow(setting.db, workflowId)
  if (!workflow) return setting.engine.setSchedule(workflowId, null)
  try {
    await startJob(workflow, { jobType: 'scheduled', startedBy: null }, setting)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}
