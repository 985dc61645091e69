import { randomUUID } from 'node:crypto'
import type { TaskQueue } from '../jobs/queue/engine.ts'
import type { Database } from '../store/database.ts'
import { insertJob, type NewJob } from '../store/jobs/jobs.ts'
import { holdWorkflow, type WorkflowRow } from '../store/workflows/workflows.ts'

type NewRun = Omit<NewJob, 'id' | 'workspaceId' | 'workflowId' | 'workflowName'> & {
  firstTask: 'list' | 'permissions'
}

/** Inserts a job of the workflow with its first task, or returns the job of this kind that is active already. */
export async function insertRun(
  workflow: WorkflowRow,
  { firstTask, ...run }: NewRun,
  { db, engine }: { db: Database; engine: TaskQueue },
): ReturnType<typeof insertJob> {
  const { id: workflowId, workspace_id: workspaceId, name: workflowName } = workflow
  return db.transaction().execute(async (transaction) => {
    await holdWorkflow(transaction, workflow)
    const job = { id: randomUUID(), workspaceId, workflowId, workflowName, ...run }
    const outcome = await insertJob(transaction, job)
    if ('inserted' in outcome) await engine.send(firstTask, { jobId: job.id }, transaction)
    return outcome
  })
}
