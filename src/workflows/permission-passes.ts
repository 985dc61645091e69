import { AppError } from '../errors.ts'
import type { TaskQueue } from '../jobs/queue/engine.ts'
import type { Database } from '../store/database.ts'
import type { JobRow } from '../store/jobs/jobs.ts'
import { markInterrupted, workflowsWithUnwrittenPermissions } from '../store/ledger/unwritten-permissions.ts'
import { hideStaleScopes, takeDuePasses, workflowsToProve } from '../store/workflows/permission-schedule.ts'
import type { WorkflowRow } from '../store/workflows/workflows.ts'
import { insertRun } from './insert-run.ts'

type PassStart = { jobType: 'persistent' | 'scheduled'; startedBy: string | null }
type StartContext = { db: Database; engine: TaskQueue }

/** Starts a permission pass, also while a content job runs. Passes of one workflow never overlap. */
export async function startPermissionPass(
  workflow: WorkflowRow,
  { jobType, startedBy }: PassStart,
  { db, engine }: StartContext,
): Promise<JobRow> {
  if (!workflow.source_id || !workflow.destination_id) {
    throw new AppError('not_possible', `the workflow "${workflow.name}" has no source or no destination`, {
      fix: 'Add both before you read its permissions',
    })
  }
  const run = {
    firstTask: 'permissions' as const,
    jobType,
    kind: 'permissions' as const,
    startedBy,
    settings: {
      source_id: workflow.source_id,
      destination_id: workflow.destination_id,
      nodes: [],
      reprocess_all: false,
    },
  }
  const outcome = await insertRun(workflow, run, { db, engine })
  if ('active' in outcome) {
    throw new AppError(
      'job_active',
      `job ${outcome.active} is reading the permissions of the workflow "${workflow.name}" already`,
      { fix: 'Wait for it or cancel it' },
    )
  }
  return outcome.inserted
}

/** Starts passes that are due, and hides what was not proved in time. */
export async function keepPermissionsFresh(context: StartContext): Promise<void> {
  const { db } = context
  for (const workflow of [...(await takeDuePasses(db)), ...(await workflowsToProve(db))])
    await startPermissionPass(workflow, { jobType: 'scheduled', startedBy: null }, context).catch(
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error
      },
    )
  await hideStaleScopes(db)
}

/** Sends what is left to write, apart from the schedule: a failure of one must not stop the other. */
export async function sendUnwritten({ db, engine }: StartContext): Promise<void> {
  await markInterrupted(db)
  for (const workflowId of await workflowsWithUnwrittenPermissions(db))
    await engine.send('write_permissions', { workflowId })
}
