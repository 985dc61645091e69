import { randomUUID } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { TaskQueue } from '../jobs/queue/engine.ts'
import type { ConnectorRow } from '../store/connectors/connectors.ts'
import type { Database } from '../store/database.ts'
import { activeJobOf, insertJob, type JobRow, readJob } from '../store/jobs/jobs.ts'
import { countLedgerEntries } from '../store/ledger/ledger-view.ts'
import { insertVerification, readVerification } from '../store/verifications/verifications.ts'
import { readWorkflow, type WorkflowRow } from '../store/workflows/workflows.ts'
import { startJob } from './start.ts'

/** An index cannot be compared while a run writes it. */
export async function refuseWhileRunning(db: Database, workflows: WorkflowRow[]): Promise<void> {
  for (const { id, name } of workflows) {
    const active = await activeJobOf(db, id)
    if (!active) continue
    throw new AppError('job_active', `the workflow "${name}" is writing this index as job ${active}`, {
      fix: 'Wait for it or cancel it',
    })
  }
}

/** An inactive workflow cannot run, so it cannot repair. */
export function refuseInactive(workflows: WorkflowRow[]): void {
  const inactive = workflows.find(({ state }) => state === 'inactive')
  if (!inactive) return
  throw new AppError('not_possible', `the workflow "${inactive.name}" is inactive`, {
    fix: 'Activate it first',
  })
}

/** Starts or joins the verification of a destination. Only one verification or repair of it runs at a time. */
export async function startVerification(
  { destination, workflows, repairs, approved, startedBy }: VerificationStart,
  { db, engine }: { db: Database; engine: TaskQueue },
): Promise<JobRow> {
  const documents = await countLedgerEntries(
    db,
    workflows.map(({ id }) => id),
  )
  const jobId = randomUUID()
  const outcome = await db.transaction().execute(async (transaction) => {
    const inserting = await insertJob(transaction, {
      id: jobId,
      workspaceId: destination.workspace_id,
      workflowId: destination.id,
      workflowName: destination.name,
      jobType: 'persistent',
      kind: 'verify',
      startedBy,
      settings: {
        source_id: null,
        destination_id: destination.id,
        nodes: [],
        reprocess_all: false,
      },
    })
    if ('active' in inserting) return inserting
    await insertVerification(transaction, { jobId, repairs, approved, documents })
    await engine.send('verify', { jobId, part: 0 }, transaction)
    return inserting
  })
  if ('inserted' in outcome) return outcome.inserted
  return joinVerification(outcome.active, { destination, repairs, approved }, db)
}

type VerificationStart = {
  destination: ConnectorRow
  workflows: WorkflowRow[]
  repairs: boolean
  approved: boolean
  startedBy: string
}

async function joinVerification(
  jobId: string,
  { destination, repairs, approved }: Pick<VerificationStart, 'destination' | 'repairs' | 'approved'>,
  db: Database,
): Promise<JobRow> {
  const job = await readJob(db, jobId)
  const active = await readVerification(db, jobId)
  if (job && active?.repairs === repairs && active.approved === approved) return job
  const doing = active?.repairs ? 'repairing' : 'verifying'
  throw new AppError('job_active', `job ${jobId} is ${doing} "${destination.name}"`, {
    fix: 'Wait for it or cancel it',
  })
}

/** Starts a job for the documents that a repair marked. A run that started first processes them too. */
export async function startRepairJob(
  workflowId: string,
  startedBy: string | null,
  context: { db: Database; engine: TaskQueue },
): Promise<{ id: string; workflow_id: string }> {
  const active = await activeJobOf(context.db, workflowId)
  if (active) return { id: active, workflow_id: workflowId }
  const workflow = await readWorkflow(context.db, workflowId)
  if (!workflow) throw new AppError('not_possible', 'the workflow was deleted')
  const job = await startJob(workflow, { jobType: 'persistent', startedBy, repair: true }, context)
  return { id: job.id, workflow_id: workflowId }
}
