import type { DocumentRef } from '../../document.ts'
import { AppError } from '../../errors.ts'
import { stateHash } from '../../ingest/data-source.ts'
import {
  applyRemoval,
  hideDocuments,
  hideInsteadOfRemoving,
  hideMoved,
  planRemoval,
} from '../../ingest/removal.ts'
import type { Entry } from '../../ledger-entry.ts'
import { isListingIncomplete } from '../../report.ts'
import { readConnector } from '../../store/connectors/connectors.ts'
import type { Database } from '../../store/database.ts'
import { deferMoved } from '../../store/jobs/job-documents.ts'
import { addWarning, isActive, type JobRow, readJob } from '../../store/jobs/jobs.ts'
import { failedDocuments, unlistedDocuments, unlistedStaged } from '../../store/ledger/documents.ts'
import { nextFence } from '../../store/ledger/fences.ts'
import { hasUnwrittenPermissions } from '../../store/ledger/unwritten-permissions.ts'
import {
  countFailedInIndex,
  countUnwritten,
  promoteLedger,
  readSwap,
  recordAliasMove,
} from '../../store/swaps/swaps.ts'
import { withWorkflowLock } from '../../store/workflows/workflow-lock.ts'
import { databaseLedger } from '../database-ledger.ts'
import { cancelled, readOutcome } from '../job-outcome.ts'
import type { JobRun, StagedSwap, WrittenIndex } from '../job-run.ts'
import { writeUnwrittenPermissions } from '../passes/write-permissions.ts'
import { listingOf, planUnlisted } from '../remove-missing.ts'
import type { Resources } from '../resources.ts'
import { endSwap, MOVE_TIMEOUT_MS } from './end-swap.ts'
import { refuseForeignElements, refuseOtherWriters } from './refusals.ts'

type FinishContext = { resources: Resources; run: JobRun; swap: StagedSwap; mayRelist: boolean }

/** Moves the alias to a complete staged index, else discards it. Can be repeated from any point. */
export async function finishSwap(
  job: JobRow,
  { resources, run, swap, mayRelist }: FinishContext,
  signal: AbortSignal,
): Promise<'again' | 'ended'> {
  const { db } = resources
  const { row, indexSwap } = swap
  // The worker that moved the alias may have died before it recorded that.
  if ((await indexSwap.identity(signal)) !== row.index_uuid) {
    const problem = await findProblem(job, { resources, run, swap, mayRelist }, signal)
    if (problem === 'again') return 'again'
    const refusal = problem ?? (await moveAlias(job, { resources, swap }, signal))
    if (refusal) {
      await hideInSearched(job, { db, run, searched: swap.searched }, signal)
      await endSwap(db, row, { why: refusal, open: async () => swap.searched.destination })
    }
    return 'ended'
  }
  await withWorkflowLock(db, row.workflow_id, (lease) =>
    lease.transaction((transaction) => promoteLedger(transaction, row.job_id)),
  )
  return 'ended'
}

/** Why the staged index must not be searched; null if it may. */
async function findProblem(
  job: JobRow,
  { resources: { db }, run, swap, mayRelist }: FinishContext,
  signal: AbortSignal,
): Promise<string | null> {
  const { now, counts } = await readOutcome(db, job)
  if (!now.complete) return 'the source was not listed completely'
  if (isListingIncomplete(now.warnings)) return 'some scopes of the source could not be listed'
  // A failed document that the searched index does not hold is not lost.
  const lost = counts.failed > 0 ? await countFailedInIndex(db, job.id, swap.searched.ledger) : 0
  if (lost > 0) return `${lost} ${lost === 1 ? 'document' : 'documents'} failed that the searched index holds`
  const unwritten = await countUnwritten(db, job.id, run.ledger)
  if (unwritten > 0) return `${unwritten} documents are missing or outdated in the new index`

  const plan = await planUnlisted(now, { db, run, approved: false }, signal)
  // Documents that this run wrote, and that left or moved while it ran.
  const written = () => unlistedStaged(db, run.ledger, job.id)
  const stagedPlan = await planRemoval(written(), await listingOf(db, now), {
    source: run.source,
    indexedCount: 0,
    approved: true,
    approval: '',
    signal,
  })
  const moved = new Map([...plan.moved, ...stagedPlan.moved].map((each) => [each.recordId, each]))
  if (moved.size > 0 && mayRelist) {
    await deferMoved(db, job.id, [...moved.values()])
    return 'again'
  }
  if (plan.foreign > 0) return `${plan.foreign} documents of the old index belong to another source`
  const unlistable = hideMoved(plan).toHide.union(hideMoved(stagedPlan).toHide)
  if (unlistable.size > 0) return `${unlistable.size} documents exist in the source but could not be listed`
  if (plan.heldBack > 0)
    return `${plan.heldBack} documents left the source, more than may be removed without approval`
  for (const warning of plan.warnings) await addWarning(db, job.id, warning)
  const openLedger = async () => databaseLedger(db, { ...run.ledger, fence: await nextFence(db) })
  const storage = { unlisted: written, openLedger, destination: run.destination, onRemoved: async () => {} }
  await applyRemoval(stagedPlan, storage, signal)
  // Permissions that changed meanwhile reach both indexes before the alias moves.
  const workflowId = job.workflow_id
  await writeUnwrittenPermissions(db, { workflowId, indexes: [swap.searched, run], waits: true }, signal)
  // A pass may be changing permissions; the next attempt writes them.
  if (await hasUnwrittenPermissions(db, workflowId))
    throw new AppError('destination_overloaded', 'permissions are still being written to the new index')
  return null
}

/** Hides documents of the old index that left the source, or that failed and have outdated permissions. */
async function hideInSearched(
  job: JobRow,
  { db, run, searched }: { db: Database; run: JobRun; searched: WrittenIndex },
  signal: AbortSignal,
): Promise<void> {
  const now = (await readJob(db, job.id)) ?? job
  const { ledger, destination } = searched
  const openLedger = async () => databaseLedger(db, { ...ledger, fence: await nextFence(db) })
  const plan = hideInsteadOfRemoving(await planUnlisted(now, { db, run, approved: false }, signal))
  const unlisted = () => unlistedDocuments(db, ledger, job.id)
  const storage = { unlisted, openLedger, destination, onRemoved: async () => {} }
  await applyRemoval(plan, storage, signal)
  let failed = 0
  for await (const documents of failedDocuments(db, ledger, job.id)) {
    signal.throwIfAborted()
    const stale = documents.filter((each) => !isCurrent(each) && each.entry.elementIds.length > 0)
    const recordIds = stale.map(({ entry }) => entry.recordId)
    await hideDocuments(recordIds, storage, signal)
    failed += recordIds.length
  }
  const documents = plan.toHide.size + failed
  if (documents === 0) return
  await addWarning(db, job.id, {
    code: 'documents_hidden',
    message: `${documents} documents of the old index left the source or could not be listed or read; they are hidden until the next run`,
    documents,
  })
}

/** Whether it has the permissions that this run listed. */
function isCurrent({ entry, ref }: { entry: Entry; ref: DocumentRef | null }): boolean {
  return entry.settled && ref !== null && entry.stateHash === stateHash(ref)
}

type MoveContext = { resources: Resources; swap: StagedSwap }

/** Returns why the move was refused; null if it succeeded. */
async function moveAlias(
  job: JobRow,
  { resources, swap }: MoveContext,
  signal: AbortSignal,
): Promise<string | null> {
  const { db } = resources
  const { row, indexSwap } = swap
  const old = { name: row.old_name, uuid: row.old_uuid }
  try {
    const connector = await readConnector(db, row.destination_id)
    if (connector)
      await refuseOtherWriters(resources, row.workflow_id, { ...connector, otherNames: [old.name] })
    await refuseForeignElements(db, swap.searched, signal)
    await withWorkflowLock(db, row.workflow_id, async (lease) => {
      if (!(await isActive(db, job.id))) throw cancelled(job.id)
      // Another worker has ended the swap.
      if (!(await readSwap(db, job.id))) return
      const staged = { name: row.index_name, uuid: row.index_uuid }
      // Fails if this process was frozen and another one has the lease.
      const beforeSend = () => lease.transaction((transaction) => recordAliasMove(transaction, job.id))
      await indexSwap.promote({ staged, old, beforeSend }, AbortSignal.timeout(MOVE_TIMEOUT_MS))
      await lease.transaction((transaction) => promoteLedger(transaction, job.id))
    })
    return null
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable || error.code === 'cancelled') throw error
    return error.message
  }
}
