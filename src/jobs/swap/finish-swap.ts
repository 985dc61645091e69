import type { Destination } from '../../connectors/connector.ts'
import type { DocumentRef } from '../../document.ts'
import { AppError } from '../../errors.ts'
import { stateHash } from '../../ingest/data-source.ts'
import { applyRemoval, hidingOnly, planRemoval, withoutLooking } from '../../ingest/removal.ts'
import { revokeAccess } from '../../ingest/revoke-access.ts'
import type { Entry } from '../../ledger-entry.ts'
import { saysIncomplete } from '../../report.ts'
import { readConnector } from '../../store/connectors/connectors.ts'
import type { Database } from '../../store/database.ts'
import { deferMoved } from '../../store/jobs/job-documents.ts'
import { addWarning, isActive, type JobRow, readJob } from '../../store/jobs/jobs.ts'
import { failedDocuments, unseenDocuments } from '../../store/ledger/documents.ts'
import { nextFence } from '../../store/ledger/fences.ts'
import { countLost, countUnwritten, noteMoving, promoteLedger, readSwap } from '../../store/swaps/swaps.ts'
import { withWorkflowLock } from '../../store/workflows/workflow-lock.ts'
import { databaseLedger } from '../database-ledger.ts'
import { cancelled, readOutcome } from '../job-outcome.ts'
import type { JobRun, Staged } from '../job-run.ts'
import { listingOf, planUnseen } from '../remove-missing.ts'
import type { Resources } from '../resources.ts'
import { endSwap, MOVE_MS } from './end-swap.ts'
import { refuseForeignElements, refuseOtherWriters } from './refusals.ts'

type FinishContext = { resources: Resources; run: JobRun; swap: Staged; mayRelist: boolean }

/** Moves the alias to a complete staged index, else discards it. Can be repeated from any point. */
export async function finishSwap(
  job: JobRow,
  { resources, run, swap, mayRelist }: FinishContext,
  signal: AbortSignal,
): Promise<'again' | 'ended'> {
  const { db } = resources
  const { row, swapping, searched } = swap
  // The worker that moved the alias may have died before it recorded that.
  if ((await swapping.identity(signal)) !== row.index_uuid) {
    const problem = await findProblem(job, { resources, run, swap, mayRelist }, signal)
    if (problem === 'again') return 'again'
    const refusal = problem ?? (await moveAlias(job, { db, swap, searched }, signal))
    if (refusal) {
      await hideInSearched(job, { db, run, searched }, signal)
      await endSwap(db, row, { why: refusal, open: async () => searched })
    }
    return 'ended'
  }
  await withWorkflowLock(db, row.workflow_id, (locked) => promoteLedger(locked, row.job_id))
  return 'ended'
}

/** Why the staged index must not be searched; null if it may. */
async function findProblem(
  job: JobRow,
  { resources: { db }, run, mayRelist }: FinishContext,
  signal: AbortSignal,
): Promise<string | null> {
  const { now, counts } = await readOutcome(db, job)
  if (!now.complete) return 'the source was not listed completely'
  if (saysIncomplete(now.warnings)) return 'some scopes of the source could not be listed'
  // A failed document that the searched index does not hold is not lost.
  const lost = counts.failed > 0 ? await countLost(db, job) : 0
  if (lost > 0) return `${lost} ${lost === 1 ? 'document' : 'documents'} failed that the searched index holds`
  const unwritten = await countUnwritten(db, job.id)
  if (unwritten > 0) return `${unwritten} documents are missing or outdated in the new index`

  const plan = await planUnseen(now, { db, run, approved: false }, signal)
  // Documents that this run wrote, and that left or moved while it ran.
  const written = () => unseenDocuments(db, run.ledger, job.id)
  const own = await planRemoval(written(), listingOf(now), {
    ...{ source: run.source, known: 0, approved: true, approval: '', signal },
  })
  const moved = new Map([...plan.moved, ...own.moved].map((each) => [each.recordId, each]))
  if (moved.size > 0 && mayRelist) {
    await deferMoved(db, job.id, [...moved.values()])
    return 'again'
  }
  if (plan.foreign > 0) return `${plan.foreign} documents of the old index belong to another source`
  const missed = withoutLooking(plan).unreadable.union(withoutLooking(own).unreadable)
  if (missed.size > 0) return `${missed.size} documents exist in the source but could not be listed`
  if (plan.heldBack > 0)
    return `${plan.heldBack} documents left the source, more than may be removed without approval`
  for (const warning of plan.warnings) await addWarning(db, job.id, warning)
  const ledger = databaseLedger(db, { ...run.ledger, fence: await nextFence(db) })
  const storage = { unseen: written, ledger, destination: run.destination, removed: async () => {} }
  await applyRemoval(own, storage, signal)
  return null
}

/** Hides documents of the old index that left the source, or that failed and have outdated permissions. */
async function hideInSearched(
  job: JobRow,
  { db, run, searched }: { db: Database; run: JobRun; searched: Destination },
  signal: AbortSignal,
): Promise<void> {
  const now = (await readJob(db, job.id)) ?? job
  const owner = { workflowId: job.workflow_id }
  const ledger = databaseLedger(db, { ...owner, fence: await nextFence(db) })
  const plan = hidingOnly(await planUnseen(now, { db, run, approved: false }, signal))
  const unseen = () => unseenDocuments(db, owner, job.id)
  const storage = { unseen, ledger, destination: searched, removed: async () => {} }
  await applyRemoval(plan, storage, signal)
  let failed = 0
  for await (const documents of failedDocuments(db, owner, job.id)) {
    signal.throwIfAborted()
    const stale = documents.filter((each) => !isCurrent(each)).map(({ entry }) => entry)
    const shown = stale.filter(({ elementIds }) => elementIds.length > 0)
    await revokeAccess(shown, storage, signal)
    failed += shown.length
  }
  const documents = plan.unreadable.size + failed
  if (documents === 0) return
  await addWarning(db, job.id, {
    code: 'documents_hidden',
    message: `${documents} documents of the old index left the source or could not be listed or read; they are hidden until the next run`,
    documents,
  })
}

/** Whether it holds its own text, with the permissions that this run listed. */
function isCurrent({ entry, ref }: { entry: Entry; ref: DocumentRef | null }): boolean {
  return entry.settled && entry.ownText === true && ref !== null && entry.stateHash === stateHash(ref)
}

type MoveContext = { db: Database; swap: Staged; searched: Destination }

/** Returns why the move was refused; null if it succeeded. */
async function moveAlias(
  job: JobRow,
  { db, swap, searched }: MoveContext,
  signal: AbortSignal,
): Promise<string | null> {
  const { row, swapping } = swap
  const old = { name: row.old_name, uuid: row.old_uuid }
  try {
    const connector = await readConnector(db, row.destination_id)
    if (connector) await refuseOtherWriters(db, row.workflow_id, { ...connector, behind: [old.name] })
    await refuseForeignElements(db, { workflowId: row.workflow_id, destination: searched }, signal)
    await withWorkflowLock(db, row.workflow_id, async (locked) => {
      if (!(await isActive(locked, job.id))) throw cancelled(job.id)
      // Another worker has ended the swap.
      if (!(await readSwap(locked, job.id))) return
      const staged = { name: row.index_name, uuid: row.index_uuid }
      const sending = () => noteMoving(locked, job.id)
      await swapping.promote({ staged, old, sending }, AbortSignal.timeout(MOVE_MS))
      await promoteLedger(locked, job.id)
    })
    return null
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable || error.code === 'cancelled') throw error
    return error.message
  }
}
