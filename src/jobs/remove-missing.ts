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
import { isNarrowed } from './list-source.ts'
import type { Resources } from './resources.ts'
import type { JobRun } from './runs.ts'

/** `mayLook`: whether documents that were missed may be listed once more. */
type Setting = { resources: Resources; run: JobRun; approved: boolean; mayLook: boolean }

/**
 * Removes and hides by the rules of `removal.ts`, with the ledger in the database. Answers with how many documents
 * left the index, or that the wiki has to be listed once more for documents that it missed.
 */
export async function removeMissing(
  job: JobRow,
  { resources: { db }, run, approved, mayLook }: Setting,
  signal: AbortSignal,
): Promise<number | 'again'> {
  if (isNarrowed(job)) {
    await hideAgain(job, { db, run }, signal)
    return 0
  }
  const found = await planOf(job, { db, run, approved }, signal)
  if (found.moved.length > 0 && mayLook) {
    await deferMoved(db, job.id, found.moved)
    return 'again'
  }
  const plan = withoutLooking(found)
  const of = { workflowId: job.workflow_id }
  const storage = {
    unseen: () => unseenDocuments(db, of, job.id),
    ledger: databaseLedger(db, { ...of, fence: await nextFence(db) }),
    destination: run.destination,
    removed: (entries: Entry[]) => noteRemoved(db, job.id, entries),
  }
  for (const warning of plan.warnings) await addWarning(db, job.id, warning)
  if (plan.heldBack > 0) await setHeldBack(db, job.id, plan.heldBack)
  return applyRemoval(plan, storage, signal)
}

/** What is hidden and was shown from outside: a listing does not show it, so that no slice works it. */
async function hideAgain(
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

/** What becomes of the documents that people can find and this run did not see. */
export async function planOf(
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

async function noteRemoved(db: Database, jobId: string, entries: Entry[]): Promise<void> {
  const removed = entries.map(({ recordId, scope, elementIds }) => ({
    ...{ recordId, scope, elements: elementIds.length },
  }))
  await recordRemoved(db, jobId, removed)
  await addRemoved(db, jobId, removed.length)
}
