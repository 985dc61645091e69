import { randomUUID } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { TaskQueue } from '../jobs/queue/engine.ts'
import type { Database } from '../store/database.ts'
import { insertJob, type JobRow } from '../store/jobs/jobs.ts'
import { countDocuments } from '../store/ledger/documents.ts'
import { nextFence } from '../store/ledger/fences.ts'
import { readSwapOf } from '../store/swaps/swaps.ts'
import { deleteWorkflow, type WorkflowRow } from '../store/workflows/workflows.ts'

/** Deletes a workflow and starts a job that removes its elements; null if it has none. */
export async function deleteWithElements(
  workflow: WorkflowRow,
  { startedBy }: { startedBy: string },
  { db, engine }: { db: Database; engine: TaskQueue },
): Promise<JobRow | null> {
  await refuseUnremovable(db, workflow)
  const { destination_id: destinationId } = workflow
  if (!destinationId) {
    await deleteWorkflow(db, workflow.id)
    return null
  }
  return db.transaction().execute(async (transaction) => {
    const outcome = await insertJob(transaction, {
      id: randomUUID(),
      workspaceId: workflow.workspace_id,
      workflowId: workflow.id,
      workflowName: workflow.name,
      jobType: 'persistent',
      startedBy,
      settings: {
        source_id: workflow.source_id,
        destination_id: destinationId,
        nodes: [],
        reprocess_all: false,
        remove_elements: true,
        // Taken now: writes of a workflow that is created later stay.
        remove_fence: await nextFence(transaction),
      },
    })
    if ('active' in outcome)
      throw new AppError(
        'job_active',
        `the workflow "${workflow.name}" is running as job ${outcome.active}`,
        { fix: 'Cancel it first' },
      )
    await deleteWorkflow(transaction, workflow.id)
    await engine.send('remove_elements', { jobId: outcome.inserted.id }, transaction)
    return outcome.inserted
  })
}

async function refuseUnremovable(db: Database, workflow: WorkflowRow): Promise<void> {
  if (await readSwapOf(db, workflow.id))
    throw new AppError('not_possible', `the last index swap of "${workflow.name}" is being cleaned up`, {
      fix: 'Try again in a minute',
    })
  if (!workflow.destination_id && (await countDocuments(db, workflow.ledger_id)) > 0)
    throw new AppError(
      'not_possible',
      `the workflow "${workflow.name}" has no destination, so its elements cannot be removed`,
      { fix: 'Set the destination that holds them, or delete the workflow with elements=keep' },
    )
}
