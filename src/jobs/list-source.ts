import type { DocumentRef } from '../document.ts'
import { AppError } from '../errors.ts'
import { type ChangeKind, compare, isExcluded, isPlaced } from '../ingest/compare.ts'
import type { Entry } from '../ledger-entry.ts'
import type { Database } from '../store/database.ts'
import {
  deferredRecords,
  dropDeferred,
  failedRecords,
  type ListedDocument,
  needsWork,
  recordListed,
} from '../store/jobs/job-documents.ts'
import {
  addUnlisted,
  addUnlistedScopes,
  advanceScope,
  listJobScopes,
  removeUnlisted,
} from '../store/jobs/job-scopes.ts'
import { addWarning, type JobRow, markListed } from '../store/jobs/jobs.ts'
import { findDocuments } from '../store/ledger/documents.ts'
import { unsettledRecords } from '../store/ledger/ledger-view.ts'
import { postponePass, requestPass } from '../store/workflows/permission-schedule.ts'
import { type JobRun, searchedIndex } from './job-run.ts'
import { type AppliedBatch, AppliedListing } from './passes/applied-listing.ts'
import { batchListing, type ListingBatch } from './passes/listing-batches.ts'
import { sendContentTasks } from './queue/content-tasks.ts'
import type { TaskQueue } from './queue/engine.ts'
import type { Resources } from './resources.ts'

type ListContext = { resources: Resources; engine: TaskQueue; run: JobRun }

/** Lists the source, records what its documents need and sends content tasks. A retry continues where it ended. */
export async function listSource(
  job: JobRow,
  { resources: { db }, engine, run }: ListContext,
  signal: AbortSignal,
): Promise<void> {
  const { id: jobId, workflow_id: workflowId } = job
  const isRelisting = job.listing_round > 0
  const selected = isRelisting ? await deferredRecords(db, jobId) : await selectedRecords(db, job)
  const before = selected ? [] : await listJobScopes(db, jobId)
  // What was listed before the interruption is not read again here.
  if (before.length > 0) await requestPass(db, workflowId)
  const listing = new AppliedListing(job, before)
  const began = new Date()
  let complete = false
  try {
    for await (const event of batchListing(run.source.list(signal, listing.start), listing.start)) {
      signal.throwIfAborted()
      if (event.kind === 'complete') complete = true
      else if (event.kind === 'batch') await recordBatch(event, { db, job, engine, run, selected, listing })
      else if (!isRelisting) await addWarning(db, jobId, event.warning)
    }
  } finally {
    if (listing.isOutdated) await requestPass(db, workflowId)
  }
  await db.transaction().execute(async (transaction) => {
    if (isRelisting) await dropDeferred(transaction, jobId, { complete, began })
    else if (!selected) await addUnlistedScopes(transaction, { jobId, workflowId, complete })
    await listing.end(transaction, complete)
  })
  await postponePass(db, workflowId)
  // A partial listing does not show which documents left the source.
  await markListed(db, job, isRelisting ? job.complete : complete && !selected)
}

/** The documents of a partial run; null if the run covers all. */
async function selectedRecords(
  db: Database,
  { settings, workflow_id: workflowId }: JobRow,
): Promise<Set<string> | null> {
  if (settings.retry_of) return failedRecords(db, settings.retry_of)
  return settings.repair ? unsettledRecords(db, workflowId) : null
}

type RecordContext = {
  db: Database
  job: JobRow
  engine: TaskQueue
  run: JobRun
  /** The documents of a partial run. */
  selected: ReadonlySet<string> | null
  listing: AppliedListing
}

/** One transaction each, so that a retry continues behind the last one. */
async function recordBatch(batch: ListingBatch, context: RecordContext): Promise<void> {
  const { db, job, engine, selected, listing } = context
  const isOfRun = ({ recordId }: DocumentRef) => selected === null || selected.has(recordId)
  await db.transaction().execute(async (transaction) => {
    await listing.lock(transaction)
    // Compared before the wanted state changes: the permission writer follows it at once.
    const { documents, moved } = await compareListed(transaction, batch.refs.filter(isOfRun), context)
    // Every listed document gets its current permissions; only documents of the run may be added or move versions.
    const applied = await listing.apply(transaction, batch, (ref) =>
      isOfRun(ref) ? 'content' : 'permissions',
    )
    const isUnchanged = ({ kind }: ListedDocument) => kind === 'unchanged'
    if (!selected) {
      const unchanged = documents.filter(isUnchanged).length
      await recordScope(transaction, job.id, { batch, applied, moved, unchanged })
    }
    const recorded = selected ? documents : documents.filter((document) => !isUnchanged(document))
    await recordListed(transaction, { jobId: job.id, asOf: applied.asOf }, recorded)
    const work = recorded.filter(({ kind }) => needsWork(kind)).length
    await sendContentTasks(transaction, { engine, jobId: job.id, documents: work })
  })
}

type RecordedScope = { batch: ListingBatch; applied: AppliedBatch; moved: string[]; unchanged: number }

/** Records how far the scope is listed, and what was missing so far. */
async function recordScope(
  transaction: Database,
  jobId: string,
  { batch: { scope, refs, after, to, end }, applied, moved, unchanged }: RecordedScope,
): Promise<void> {
  const { asOf, isOutdated, unseen } = applied
  await removeUnlisted(transaction, jobId, { listed: refs.map(({ recordId }) => recordId), moved })
  await addUnlisted(transaction, jobId, unseen)
  const advanced = await advanceScope(transaction, jobId, {
    scope,
    after,
    to,
    asOf,
    unchanged,
    outdated: isOutdated,
    ...(end ? { end } : {}),
  })
  if (!advanced) throw new AppError('taken_over', `another task lists scope ${scope} of job ${jobId}`)
}

/** What each listed document needs by its ledger entry, and which are in another place than their entry. */
async function compareListed(
  transaction: Database,
  listed: DocumentRef[],
  { run, job: { settings } }: RecordContext,
): Promise<{ documents: ListedDocument[]; moved: string[] }> {
  const recordIds = listed.map((ref) => ref.recordId)
  const known = await findDocuments(transaction, run.ledger, recordIds)
  // A staged index is empty; documents of the searched index still count as changed.
  const before = run.swap ? await findDocuments(transaction, searchedIndex(run).ledger, recordIds) : known
  const options = { settingsHash: run.settingsHash, reprocessAll: settings.reprocess_all }
  const documents = listed
    .filter((ref) => !isExcluded(ref, known.get(ref.recordId)))
    .map((ref): ListedDocument => {
      const entry = known.get(ref.recordId)
      const kind = kindOf(compare(ref, entry, options), before.get(ref.recordId))
      return { ref, kind, ...(kind === 'skipped' && entry?.skipped ? { skipped: entry.skipped } : {}) }
    })
  const isMoved = (ref: DocumentRef) => {
    const entry = before.get(ref.recordId)
    return entry !== undefined && !isPlaced(ref, entry)
  }
  return { documents, moved: listed.filter(isMoved).map(({ recordId }) => recordId) }
}

function kindOf(compared: ChangeKind, before: Entry | undefined): ChangeKind {
  return compared === 'new' && before?.version ? 'changed' : compared
}
