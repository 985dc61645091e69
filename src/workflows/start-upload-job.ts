import { randomUUID } from 'node:crypto'
import { AppError } from '../errors.ts'
import { insertUploadJob, type UploadJobContext } from '../jobs/upload-jobs.ts'
import { nodeWarnings, type PipelineNode } from '../pipeline/nodes.ts'
import type { JobRow } from '../store/jobs/jobs.ts'
import type { JobType } from '../store/schema.ts'
import type { WorkflowRow } from '../store/workflows/workflows.ts'

/** Files outside of memory; each is read when it is stored. */
type UploadedFiles = { filename: string; size: number; read(): Promise<Buffer> }[]
type UploadJobOptions = {
  workspaceId: string
  startedBy: string
  jobType: JobType
  nodes: PipelineNode[]
  workflow?: WorkflowRow
}

/** Starts a job that runs uploaded files through the given nodes. */
export async function startUploadJob(
  files: UploadedFiles,
  { workspaceId, startedBy, jobType, nodes, workflow }: UploadJobOptions,
  context: UploadJobContext,
): Promise<JobRow> {
  if (workflow?.state === 'inactive') {
    throw new AppError('not_possible', `the workflow "${workflow.name}" is inactive`, {
      fix: 'Activate it before you run it',
    })
  }
  const id = randomUUID()
  const job = {
    id,
    workspaceId,
    // Such a run has no workflow; clients expect an id anyway.
    workflowId: workflow?.id ?? randomUUID(),
    workflowName: workflow?.name ?? `job-${id.slice(0, 8)}`,
    jobType,
    startedBy,
    warnings: nodeWarnings(nodes),
    settings: { source_id: null, destination_id: null, nodes, reprocess_all: false },
  }
  const outcome = await insertUploadJob(
    context,
    job,
    files.map((file) => ({ id: randomUUID(), ...file })),
  )
  if ('active' in outcome)
    throw new AppError('job_active', `the workflow "${job.workflowName}" is already running`, {
      fix: 'Wait for it or cancel it',
    })
  return outcome.inserted
}
