import { HIDDEN_STATE } from '../ingest/data-source.ts'
import {
  applyRemoval,
  hideDocuments,
  hideMoved,
  type ListingResult,
  planRemoval,
  type RemovalPlan,
} from '../ingest/removal.ts'
import type { Entry } from '../ledger-entry.ts'
import type { Database } from '../store/database.ts'
import { deferMoved, recordRemoved } from '../store/jobs/job-documents.ts'
import { listJobScopes } from '../store/jobs/job-scopes.ts'
import { addRemoved, addWarning, type JobRow, setHeldBack } from '../store/jobs/jobs.ts'
import { countDocuments, unlistedDocuments, unsettledWithState } from '../store/ledger/documents.ts'
import { nextFence } from '../store/ledger/fences.ts'
import { databaseLedger } from './database-ledger.ts'
import { isPartial, type JobRun, searchedIndex } from './job-run.ts'
import type { Resources } from './resources.ts'

/** `mayRelist`: whether the source may be listed again for documents that moved meanwhile. */
type RemovalContext = { resources: Resources; run: JobRun; approved: boolean; mayRelist: boolean }

/** Returns the number of removed documents, or `again` to list once more. */
export async function removeMissing(
  job: JobRow,
  { resources: { db }, run, approved, mayRelist }: RemovalContext,
  signal: AbortSignal,
): Promise<number | 'again'> {
  if (isPartial(job)) {
    await hideAgain(job, { db, run }, signal)
    return 0
  }
  const found = await planUnlisted(job, { db, run, approved }, signal)
  if (found.moved.length > 0 && mayRelist) {
    await deferMoved(db, job.id, found.moved)
    return 'again'
  }
  const plan = hideMoved(found)
  const storage = {
    unlisted: () => unlistedDocuments(db, run.ledger, job.id),
    openLedger: async () => databaseLedger(db, { ...run.ledger, fence: await nextFence(db) }),
    destination: run.destination,
    onRemoved: (entries: Entry[]) => recordRemovals(db, job.id, entries),
  }
  for (const warning of plan.warnings) await addWarning(db, job.id, warning)
  if (plan.heldBack > 0) await setHeldBack(db, job.id, plan.heldBack)
  return applyRemoval(plan, storage, signal)
}

/** Hides documents again that a change outside Millrace made visible. */
async function hideAgain(
  { id, settings }: JobRow,
  { db, run }: { db: Database; run: JobRun },
  signal: AbortSignal,
): Promise<void> {
  if (!settings.repair) return
  const openLedger = async () => databaseLedger(db, { ...run.ledger, fence: await nextFence(db) })
  const lost = unsettledWithState(db, run.ledger, { jobId: id, stateHash: HIDDEN_STATE })
  const storage = { openLedger, destination: run.destination }
  for await (const entries of lost)
    await hideDocuments(
      entries.map(({ recordId }) => recordId),
      storage,
      signal,
    )
}

/** What happens to documents of the searched index that this run did not list. */
export async function planUnlisted(
  job: JobRow,
  { db, run, approved }: { db: Database; run: JobRun; approved: boolean },
  signal: AbortSignal,
): Promise<RemovalPlan> {
  const { ledger } = searchedIndex(run)
  const indexedCount = await countDocuments(db, ledger.ledgerId)
  return planRemoval(unlistedDocuments(db, ledger, job.id), await listingOf(db, job), {
    source: run.source,
    indexedCount,
    approved,
    signal,
    approval: 'a person approves their removal',
  })
}

export async function listingOf(db: Database, { id, complete }: JobRow): Promise<ListingResult> {
  const ended = (await listJobScopes(db, id)).filter((scope) => scope.ended)
  return { closed: new Map(ended.map(({ scope, upTo }) => [scope, upTo])), complete }
}

async function recordRemovals(db: Database, jobId: string, entries: Entry[]): Promise<void> {
  const removed = entries.map(({ recordId, scope, elementIds }) => ({
    recordId,
    scope,
    elements: elementIds.length,
  }))
  await recordRemoved(db, jobId, removed)
  await addRemoved(db, jobId, removed.length)
}
