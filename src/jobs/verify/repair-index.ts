import { AppError } from '../../errors.ts'
import { needsApproval } from '../../ingest/removal.ts'
import type { Database } from '../../store/database.ts'
import { hasUnsettled, unsettleDocuments } from '../../store/ledger/ledger-view.ts'
import { countExtraDocuments, listFindings, scopeViews } from '../../store/verifications/findings.ts'
import type { VerificationRow, VerificationSlice } from '../../store/verifications/verifications.ts'
import { DIFFERENCES_PER_SLICE, stillExtra } from './confirm.ts'
import type { Comparison } from './slices.ts'

/** Starts a job that processes the unsettled documents of a workflow, or returns the one that runs. */
export type StartRepairJob = (
  workflowId: string,
  startedBy: string | null,
) => Promise<{ id: string; workflow_id: string }>

/** Throws if a removal needs approval. */
export async function refuseLargeRemoval(db: Database, jobId: string): Promise<void> {
  const extra = await countExtraDocuments(db, jobId)
  const known = (await scopeViews(db, jobId)).reduce((sum, { documents }) => sum + documents, 0)
  if (!needsApproval(extra, known + extra)) return
  throw new AppError(
    'not_possible',
    `the index holds elements of ${extra} documents that no run of this workflow wrote; removing that many needs approval`,
    { fix: 'Compare the index to see them, then repair it again and approve the removals' },
  )
}

/**
 * Removes extra elements, and marks documents that differ for the next job. The fence is taken before the ledger is
 * read: a job that starts meanwhile has a higher one, and its elements stay.
 */
export async function repairSlice(
  { job_id: jobId, cursor }: VerificationRow,
  comparison: Comparison & { fence: number },
  signal: AbortSignal,
): Promise<VerificationSlice> {
  const { db, workflowIds, destination, fence } = comparison
  const after = cursor === null ? null : JSON.parse(cursor)
  const page = await listFindings(db, jobId, { after, limit: DIFFERENCES_PER_SLICE })
  const last = page.at(-1)
  if (!last) return { phase: 'start', cursor: null }
  const differing = page.filter(({ ledger }) => ledger !== '')
  await unsettleDocuments(
    db,
    workflowIds,
    differing.map(({ recordId }) => recordId),
  )
  const extra = page.filter(({ ledger }) => ledger === '')
  const found = [...(await stillExtra(extra, comparison, signal)).values()].flatMap(
    ({ findings }) => findings,
  )
  await destination.remove(found, fence, signal)
  return {
    phase: 'repair',
    cursor: JSON.stringify({ recordId: last.recordId, ledger: last.ledger }),
    removed: found.reduce((sum, { elementIds }) => sum + elementIds.length, 0),
  }
}

/** A repeated slice finds the jobs that it has started. */
export async function startSlice(
  { db, workflowIds }: Comparison,
  { startRepairJob, startedBy }: { startRepairJob: StartRepairJob; startedBy: string | null },
): Promise<VerificationSlice> {
  const repairJobs: { id: string; workflow_id: string }[] = []
  for (const workflowId of workflowIds) {
    if (!(await hasUnsettled(db, workflowId))) continue
    repairJobs.push(await startRepairJob(workflowId, startedBy))
  }
  return { phase: 'done', cursor: null, repairJobs }
}
