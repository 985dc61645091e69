import { isInIndex, type Leaving, leaving, needsApproval } from '../ingest/removal.ts'
import type { Entry } from '../ledger-entry.ts'
import { countDocuments, unseenDocuments } from '../store/documents.ts'
import { nextFence } from '../store/fences.ts'
import { deferMoved, recordRemoved } from '../store/job-documents.ts'
import { addRemoved, addWarning, type JobRow, setHeldBack } from '../store/jobs.ts'
import { databaseLedger } from './ledger.ts'
import type { Resources } from './resources.ts'
import type { Run } from './runs.ts'

/** `mayLook`: whether documents that turn out to have moved may be listed once more. */
type Setting = { resources: Resources; run: Run; approved: boolean; mayLook: boolean }

/**
 * Takes out what left the wiki. Only a listing that reached its end proves that something left, and above the
 * guarded share nothing goes until a person has agreed. Answers with how many went, or that the listing has to be
 * done once more for documents that were missed because they moved while it went on.
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
  const moved: Entry[] = []
  for await (const unseen of unseenDocuments(db, job.workflow_id, job.id)) {
    const left: Leaving = await leaving(unseen, listing, { source: run.source, signal })
    for (const entry of left.entries) goes(entry)
    byLimit += left.byLimit
    moved.push(...left.moved)
  }
  if (moved.length > 0 && mayLook) {
    await deferMoved(db, job.id, moved)
    return 'again'
  }
  for (const entry of moved) goes(entry)
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

  for await (const unseen of unseenDocuments(db, job.workflow_id, job.id)) {
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
