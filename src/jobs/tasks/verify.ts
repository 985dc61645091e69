import { explain } from '../../errors.ts'
import { recordAudit } from '../../store/accounts/audit.ts'
import type { Database } from '../../store/database.ts'
import { activeJobOf, endJob, type JobRow, markStarted, pinIndex } from '../../store/jobs/jobs.ts'
import { nextFence } from '../../store/ledger/fences.ts'
import { scopeViews } from '../../store/verifications/findings.ts'
import {
  readVerification,
  recordFailure,
  recordWait,
  restartVerification,
  saveSlice,
  takeAudit,
  trimFindings,
  type VerificationRow,
  type VerificationSlice,
} from '../../store/verifications/verifications.ts'
import { workflowsWriting } from '../../store/workflows/workflows.ts'
import { withDestination } from '../connections.ts'
import { failJob } from '../job-outcome.ts'
import type { Handler } from '../queue/engine.ts'
import { reconcileWorkflow } from '../swap/end-swap.ts'
import { confirmSlice } from '../verify/confirm.ts'
import { refuseLargeRemoval, repairSlice, type StartRepairJob, startSlice } from '../verify/repair-index.ts'
import { type Comparison, indexSlice, knownElements, ledgerSlice } from '../verify/slices.ts'
import { readActiveJob, runJobTask, type TaskContext } from './job-task.ts'

/** Then the next task takes over, so that other workspaces have their turn. */
const TASK_MS = 10_000
/** Findings of a verification that are kept; more are only counted. */
export const SHOWN_FINDINGS = 500

type VerifyContext = Pick<TaskContext, 'resources' | 'connections' | 'engine'> & {
  startRepairJob: StartRepairJob
  taskMs?: number
}

/** Verifies or repairs an index in slices, each with a checkpoint. Of two tasks only one records a slice. */
export function verifyTask(context: VerifyContext): Handler<'verify'> {
  const { resources } = context
  const { db } = resources
  return async ({ jobId, part }, attempt) => {
    const job = await readActiveJob(db, jobId)
    if (job) {
      await markStarted(db, jobId)
      await runJobTask(db, job, {
        attempt,
        work: (signal) => runPart(job, { ...context, part }, signal),
        fail: async (error) => {
          await recordFailure(db, jobId, explain(error).code)
          await failJob(resources, jobId, error)
        },
      })
    }
    if (!(await readActiveJob(db, jobId))) await auditRepair(db, jobId)
  }
}

type PartContext = VerifyContext & { part: number }

async function runPart(job: JobRow, context: PartContext, signal: AbortSignal): Promise<void> {
  const { resources, connections } = context
  const { db } = resources
  const { destination_id: destinationId } = job.settings
  if (!destinationId) return
  const workflows = await workflowsWriting(db, job.workspace_id, [destinationId])
  if (await waits(job, workflows, context)) return
  for (const { id } of workflows)
    await reconcileWorkflow(id, { resources, connections, destinationId }, signal)
  const workflowIds = workflows.map(({ id }) => id)
  await withDestination(connections, destinationId, async (destination) => {
    const identity = await destination.swap?.identity(signal)
    await runSlices(job, { ...context, comparison: { db, workflowIds, destination, identity } }, signal)
  })
}

type SliceRun = PartContext & { comparison: Comparison }

async function runSlices(job: JobRow, context: SliceRun, signal: AbortSignal): Promise<void> {
  const { engine, comparison, part, taskMs = TASK_MS } = context
  const { db } = comparison
  const end = Date.now() + taskMs
  await restartIfReplaced(job, comparison)
  while (true) {
    signal.throwIfAborted()
    const row = await readVerification(db, job.id)
    if (!row) return
    if (row.phase === 'done') return complete(job, row, context)
    if (row.phase === 'index') comparison.known ??= await knownElements(job.id, comparison)
    const slice = await nextSlice(job, { row, context }, signal)
    if (!slice) return
    const isLast = Date.now() >= end
    const sendNext = (transaction: Database) =>
      engine.send('verify', { jobId: job.id, part: part + 1 }, transaction)
    const saved = await saveSlice(db, row, slice, isLast ? sendNext : undefined)
    // Another task continues if it recorded this slice.
    if (!saved || isLast) return
  }
}

/** A swap replaced the index: its elements are others. */
async function restartIfReplaced(job: JobRow, { db, identity }: Comparison): Promise<void> {
  if (!identity || (await pinIndex(db, job.id, identity)) === identity) return
  const row = await readVerification(db, job.id)
  if (row && row.phase !== 'start' && row.phase !== 'done') await restartVerification(db, row, identity)
}

/** Null if it has to wait for a content job. */
async function nextSlice(
  job: JobRow,
  { row, context }: { row: VerificationRow; context: SliceRun },
  signal: AbortSignal,
): Promise<VerificationSlice | null> {
  const { comparison, startRepairJob } = context
  const { db } = comparison
  if (row.phase === 'start') return startSlice(comparison, { startRepairJob, startedBy: job.started_by })
  // Before the check: a job that starts after it has higher fences.
  const fence = row.phase === 'repair' ? await nextFence(db) : 0
  const workflows = comparison.workflowIds.map((id) => ({ id }))
  if (await waits(job, workflows, context)) return null
  if (row.phase === 'ledger') return ledgerSlice(row, comparison, signal)
  if (row.phase === 'index') return indexSlice(row, comparison, signal)
  if (row.phase === 'repair') return repairSlice(row, { ...comparison, fence }, signal)
  const confirmed = await confirmSlice(row, comparison, signal)
  if (confirmed) return confirmed
  if (row.repairs && !row.approved) await refuseLargeRemoval(db, job.id)
  return { phase: row.repairs ? 'repair' : 'done', cursor: null }
}

/** An index cannot be compared while a run writes it. The recovery of jobs continues the verification. */
async function waits(job: JobRow, workflows: { id: string }[], { resources }: VerifyContext) {
  const { db } = resources
  const row = await readVerification(db, job.id)
  if (row?.phase === 'start' || row?.phase === 'done') return false
  for (const { id } of workflows) {
    const active = await activeJobOf(db, id)
    if (!active) continue
    await recordWait(db, job.id, active)
    return true
  }
  return false
}

async function complete(job: JobRow, row: VerificationRow, { resources }: VerifyContext): Promise<void> {
  const { db, log } = resources
  await trimFindings(db, job.id, SHOWN_FINDINGS)
  const scopes = await scopeViews(db, job.id)
  const sum = (kind: 'missing' | 'different' | 'extra') =>
    scopes.reduce((total, scope) => total + scope[kind], 0)
  const counts = { missing: sum('missing'), different: sum('different'), extra: sum('extra') }
  const differs = counts.missing + counts.different + counts.extra > 0
  const elements = `${counts.missing} elements are missing, ${counts.different} differ and ${counts.extra} are unexpected`
  await endJob(db, job.id, {
    status: 'COMPLETED',
    processingStatus: differs && !row.repairs ? 'COMPLETED_WITH_ERRORS' : 'SUCCESS',
    message: differs ? `The index differed from the ledger: ${elements}.` : null,
  })
  log.info(
    { job_id: job.id, destination_id: job.settings.destination_id, ...counts },
    'verification finished',
  )
}

/** Once per repair that changed something, also if it was stopped. */
async function auditRepair(db: Database, jobId: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const row = await takeAudit(transaction, jobId)
    const job = await transaction
      .selectFrom('jobs')
      .select(['workspace_id', 'started_by', 'settings'])
      .where('id', '=', jobId)
      .executeTakeFirst()
    if (!row || !job) return
    const subject = {
      destination: job.settings.destination_id,
      removed_elements: Number(row.removed_elements),
      jobs: row.repair_jobs.map(({ id }) => id),
    }
    const { workspace_id: workspaceId, started_by: actor } = job
    await recordAudit(transaction, {
      workspaceId,
      actor: actor ?? 'operator',
      action: 'repair_index',
      subject,
    })
  })
}
