import { AppError } from '../errors.ts'
import type { TaskQueue } from '../jobs/queue/engine.ts'
import { nodeWarnings, storedNodes } from '../pipeline/nodes.ts'
import type { Database } from '../store/database.ts'
import type { JobRow } from '../store/jobs/jobs.ts'
import type { JobType } from '../store/schema.ts'
import { readWorkflow, type WorkflowRow } from '../store/workflows/workflows.ts'
import { insertRun } from './insert-run.ts'
import { takeOverRemovals } from './target.ts'

/** `startedBy` is the actor in the audit log; null if a schedule started it. */
type StartOptions = { jobType: JobType; startedBy: string | null; retryOf?: string; repair?: true }

/** Starts a job of a workflow. If one is still active, throws an error with its id. */
export async function startJob(
  workflow: WorkflowRow,
  { jobType, startedBy, retryOf, repair }: StartOptions,
  { db, engine }: { db: Database; engine: TaskQueue },
): Promise<JobRow> {
  if (!workflow.source_id || !workflow.destination_id) {
    throw new AppError('not_possible', `the workflow "${workflow.name}" has no source or no destination`, {
      fix: 'Add both before you run it',
    })
  }
  if (workflow.state === 'inactive') {
    throw new AppError('not_possible', `the workflow "${workflow.name}" is inactive`, {
      fix: 'Activate it before you run it',
    })
  }
  await takeOverRemovals(db, workflow)
  const run = {
    firstTask: 'list' as const,
    jobType,
    startedBy,
    warnings: nodeWarnings(storedNodes(workflow)),
    estimate: retryOf || repair ? null : recentEstimate(workflow),
    settings: {
      source_id: workflow.source_id,
      destination_id: workflow.destination_id,
      nodes: workflow.nodes,
      reprocess_all: workflow.reprocess_all,
      ...(retryOf ? { retry_of: retryOf } : {}),
      ...(repair ? { repair } : {}),
      // Retries and repairs process some documents only, so they cannot fill a new index.
      ...(workflow.swap_index && !retryOf && !repair ? { swap_index: true as const } : {}),
    },
  }
  const outcome = await insertRun(workflow, run, { db, engine })
  if ('active' in outcome) {
    throw new AppError(
      'job_active',
      `the workflow "${workflow.name}" is already running as job ${outcome.active}`,
      {
        fix: 'Wait for it or cancel it',
      },
    )
  }
  return outcome.inserted
}

// An older estimate says little about this run.
const ESTIMATE_MS = 3600_000

function recentEstimate({ estimate }: WorkflowRow): WorkflowRow['estimate'] {
  return estimate && Date.now() - Date.parse(estimate.at) < ESTIMATE_MS ? estimate : null
}

/** Starts a scheduled job. Skips it if the workflow cannot run now, for example because a job is active. */
export async function startScheduled(
  workflowId: string,
  context: { db: Database; engine: TaskQueue },
): Promise<void> {
  const workflow = await readWorkflow(context.db, workflowId)
  if (!workflow?.schedule) return
  try {
    await startJob(workflow, { jobType: 'scheduled', startedBy: null }, context)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}
