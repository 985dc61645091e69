import { HIDDEN } from '../ingest/data-source.ts'
import {
  applyRemoval,
  type Listing,
  planRemoval,
  type RemovalPlan,
  withoutLooking,
} from '../ingest/removal.ts'
import { revokeAccess } from '../ingest/revoke-access.ts'
import type { Entry } from '../ledger-entry.ts'
import type { Database } from '../store/database.ts'
import { deferMoved, recordRemoved } from '../store/jobs/job-documents.ts'
import { addRemoved, addWarning, type JobRow, setHeldBack } from '../store/jobs/jobs.ts'
import { countDocuments, unseenDocuments } from '../store/ledger/documents.ts'
import { nextFence } from '../store/ledger/fences.ts'
import { databaseLedger } from './database-ledger.ts'
import { isPartial, type JobRun } from './job-run.ts'
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
    await rehide(job, { db, run }, signal)
    return 0
  }
  const found = await planUnseen(job, { db, run, approved }, signal)
  if (found.moved.length > 0 && mayRelist) {
    await deferMoved(db, job.id, found.moved)
    return 'again'
  }
  const plan = withoutLooking(found)
  const owner = { workflowId: job.workflow_id }
  const storage = {
    unseen: () => unseenDocuments(db, owner, job.id),
    ledger: databaseLedger(db, { ...owner, fence: await nextFence(db) }),
    destination: run.destination,
    removed: (entries: Entry[]) => recordRemovals(db, job.id, entries),
  }
  for (const warning of plan.warnings) await addWarning(db, job.id, warning)
  if (plan.heldBack > 0) await setHeldBack(db, job.id, plan.heldBack)
  return applyRemoval(plan, storage, signal)
}

/** Hides documents again that a change outside Millrace made visible. */
async function rehide(
  { id, workflow_id: workflowId, settings }: JobRow,
  { db, run }: { db: Database; run: JobRun },
  signal: AbortSignal,
): Promise<void> {
  if (!settings.repair) return
  const ledger = databaseLedger(db, { workflowId, fence: await nextFence(db) })
  for await (const entries of unseenDocuments(db, { workflowId }, id)) {
    const shown = entries.filter(({ settled, stateHash }) => !settled && stateHash === HIDDEN)
    await revokeAccess(shown, { ledger, destination: run.destination }, signal)
  }
}

/** What happens to documents of the index that this run did not list. */
export async function planUnseen(
  job: JobRow,
  { db, run, approved }: { db: Database; run: JobRun; approved: boolean },
  signal: AbortSignal,
): Promise<RemovalPlan> {
  const workflowId = job.workflow_id
  return planRemoval(unseenDocuments(db, { workflowId }, job.id), listingOf(job), {
    ...{ source: run.source, known: await countDocuments(db, workflowId), approved, signal },
    approval: `POST /api/v1/jobs/${job.id}/approve-deletions`,
  })
}

export function listingOf({ closed_scopes: closed, complete }: JobRow): Listing {
  return { closed: new Map(Object.entries(closed)), complete }
}

async function recordRemovals(db: Database, jobId: string, entries: Entry[]): Promise<void> {
  const removed = entries.map(({ recordId, scope, elementIds }) => ({
    ...{ recordId, scope, elements: elementIds.length },
  }))
  await recordRemoved(db, jobId, removed)
  await addRemoved(db, jobId, removed.length)
}
