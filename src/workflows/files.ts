import { randomUUID } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { TaskQueue } from '../jobs/engine.ts'
import { insertUploadJob } from '../jobs/upload-jobs.ts'
import { nodeWarnings, type PipelineNode } from '../pipeline/nodes.ts'
import type { Database } from '../store/database.ts'
import type { JobRow } from '../store/jobs/jobs.ts'
import type { JobType } from '../store/schema.ts'
import type { WorkflowRow } from '../store/workflows/workflows.ts'

export type Files = { filename: string; content: Buffer }[]
type Starting = {
  workspaceId: string
  startedBy: string
  jobType: JobType
  nodes: PipelineNode[]
  of?: WorkflowRow
}

/** Runs uploaded files through the nodes of a workflow, or through its own. */
export async function startWithFiles(
  files: Files,
  { workspaceId, startedBy, jobType, nodes, of }: Starting,
  { db, engine }: { db: Database; engine: TaskQueue },
): Promise<JobRow> {
  if (of?.state === 'inactive') {
    throw new AppError('not_possible', `the workflow "${of.name}" is inactive`, {
      fix: 'Activate it before it is run',
    })
  }
  const id = randomUUID()
  const job = {
    id,
    workspaceId,
    // Such a run has no workflow; clients expect an id anyway.
    workflowId: of?.id ?? randomUUID(),
    workflowName: of?.name ?? `job-${id.slice(0, 8)}`,
    jobType,
    startedBy,
    warnings: nodeWarnings(nodes),
    settings: { source_id: null, destination_id: null, nodes, reprocess_all: false },
  }
  const outcome = await insertUploadJob(
    db,
    job,
    files.map((file) => ({ id: randomUUID(), ...file })),
  )
  if ('active' in outcome)
    throw new AppError('job_active', `the workflow "${job.workflowName}" is already running`, {
      fix: 'Wait for it or cancel it',
    })
  await engine.send('files', { jobId: id })
  return outcome.inserted
}
