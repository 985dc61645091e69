import { hide } from '../ingest/hiding.ts'
import { isInIndex, type Leaving, leaving, needsApproval } from '../ingest/removal.ts'
import type { Entry } from '../ledger-entry.ts'
import { countDocuments, unseenDocuments } from '../store/documents.ts'
import { nextFence } from '../store/fences.ts'
import { deferMoved, recordRemoved } from '../store/job-documents.ts'
import { addRemoved, addWarning, type JobRow, setHeldBack } from '../store/jobs.ts'
import { databaseLedger } from './ledger.ts'
import type { Resources } from './resources.ts'
import type { Run } from './runs.ts'

/** `mayLook`: whether documents that were missed may be listed once more. */
type Setting = { resources: Resources; run: Run; approved: boolean; mayLook: boolean }

/**
 * Takes out what left the wiki. Only a listing that reached its end proves that something left, and above the
 * guarded share nothing goes until a person has agreed. Answers with how many went, or that the listing has to be
 * done once more for documents that it missed, mostly because they moved while it went on. What is missed again is
 * hidden, since nobody knows whose it is now.
 */
export async function remove(
  job: JobRow,
  { resources, run, approved, mayLook }: Setting,
  signal: AbortSignal,
): Promise<number | 'again'> {
  const { db } = resources
  if (!job.complete) return 0
  const ledger = databaseLedger(db, { workflowId: job.workflow_id, fence: await nextFence(db) })
  const listing = { closed: new Map(Object.entries(job.closed_scopes)), complete: job.complete }

  // The first look only counts, so that a run that has to ask has removed nothing yet.
  const gone = new Set<string>()
  let leavingIndex = 0
  const goes = (entry: Entry) => {
    gone.add(entry.recordId)
    if (isInIndex(entry)) leavingIndex++
  }
  let byLimit = 0
  const missed: Entry[] = []
  for await (const unseen of unseenDocuments(db, { workflowId: job.workflow_id }, job.id)) {
    const left: Leaving = await leaving(unseen, listing, { source: run.source, signal })
    for (const entry of left.entries) goes(entry)
    byLimit += left.byLimit
    missed.push(...left.missed.filter(isInIndex))
  }
  if (missed.length > 0 && mayLook) {
    await deferMoved(db, job.id, missed)
    return 'again'
  }
  if (missed.length > 0) {
    await hide(missed, { ledger, destination: run.destination }, signal)
    await addWarning(db, job.id, {
      code: 'documents_hidden',
      message: `${missed.length} documents are in the wiki but could not be listed; what the index has of them is hidden until they can`,
      documents: missed.length,
    })
  }
  if (gone.size === 0) return 0
  if (!approved && needsApproval(leavingIndex, await countDocuments(db, job.workflow_id))) {
    await setHeldBack(db, job.id, leavingIndex)
    await addWarning(db, job.id, {
      code: 'deletions_held_back',
      message: `${leavingIndex} documents are no longer in the wiki's listing, more than may leave at once unasked; POST /api/v1/jobs/${job.id}/approve-deletions removes them from the index`,
      documents: leavingIndex,
    })
    return 0
  }
  if (byLimit > 0) {
    await addWarning(db, job.id, {
      code: 'removed_by_limit',
      message: `${byLimit} documents lie beyond max_num_of_docs_from_each_space now and were removed from the index`,
      documents: byLimit,
    })
  }

  for await (const unseen of unseenDocuments(db, { workflowId: job.workflow_id }, job.id)) {
    const entries = unseen.filter((entry) => gone.has(entry.recordId))
    signal.throwIfAborted()
    await run.destination.remove(entries, ledger.fence, signal)
    await ledger.forget(entries.map((entry) => entry.recordId))
    const removed = entries.filter(isInIndex)
    await recordRemoved(
      db,
      job.id,
      removed.map((entry) => ({
        recordId: entry.recordId,
        scope: entry.scope,
        elements: entry.elementIds.length,
      })),
    )
    await addRemoved(db, job.id, removed.length)
  }
  return leavingIndex
}
