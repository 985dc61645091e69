import type { ListingStart } from '../connectors/connector.ts'
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
  type JobScope,
  listJobScopes,
  removeUnlisted,
} from '../store/jobs/job-scopes.ts'
import { addWarning, holdActive, type JobRow, markListed } from '../store/jobs/jobs.ts'
import { findDocuments } from '../store/ledger/documents.ts'
import { unsettledRecords } from '../store/ledger/ledger-view.ts'
import { forgetScopes, proveScope } from '../store/ledger/scopes.ts'
import { applyInTransaction, lockWanted, unseenInRange } from '../store/ledger/wanted.ts'
import { postponePass, requestPass } from '../store/workflows/permission-schedule.ts'
import { sendContentTasks } from './content-tasks.ts'
import type { TaskQueue } from './engine.ts'
import { cancelled } from './job-outcome.ts'
import type { JobRun } from './job-run.ts'
import { batchListing, type ListingBatch, NOTHING_LISTED } from './listing-batches.ts'
import type { Resources } from './resources.ts'

type ListContext = { resources: Resources; engine: TaskQueue; run: JobRun }

/** Lists the source, records what its documents need and sends content tasks. A retry continues where it ended. */
export async function listSource(
  job: JobRow,
  { resources: { db }, engine, run }: ListContext,
  signal: AbortSignal,
): Promise<void> {
  const isRelisting = job.looks > 0
  const selected = isRelisting ? await deferredRecords(db, job.id) : await selectedRecords(db, job)
  const listing = new Listing(job, { db, engine, run, selected })
  const before = selected ? NOTHING_LISTED : await listing.resume()
  const began = new Date()
  let complete = false
  try {
    for await (const event of batchListing(run.source.list(signal, before), before)) {
      signal.throwIfAborted()
      if (event.kind === 'complete') complete = true
      else if (event.kind === 'batch') await listing.record(event)
      else if (!isRelisting) await addWarning(db, job.id, event.warning)
    }
  } finally {
    if (listing.isOutdated) await requestPass(db, job.workflow_id)
  }
  if (isRelisting) await dropDeferred(db, job.id, { complete, began })
  else if (!selected) await addUnlistedScopes(db, { jobId: job.id, workflowId: job.workflow_id, complete })
  if (complete) await forgetScopes(db, job.workflow_id, { except: listing.ended, began })
  await postponePass(db, job.workflow_id)
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

type ListingContext = {
  db: Database
  engine: TaskQueue
  run: JobRun
  /** The documents of a partial run. */
  selected: ReadonlySet<string> | null
}

/** What the job does with a batch: one transaction each, so that a retry continues behind the last one. */
class Listing {
  readonly #job: JobRow
  readonly #context: ListingContext
  readonly #ended: string[] = []
  /** When reading of each scope began, and whether a newer listing made it useless. */
  readonly #scopes = new Map<string, { asOf: Date; outdated: boolean }>()
  readonly #began = new Date()

  constructor(job: JobRow, context: ListingContext) {
    this.#job = job
    this.#context = context
  }

  get ended(): string[] {
    return this.#ended
  }

  /** Whether a newer listing made parts of this one useless. */
  get isOutdated(): boolean {
    return [...this.#scopes.values()].some(({ outdated }) => outdated)
  }

  /** What an interrupted attempt has recorded. */
  async resume(): Promise<ListingStart> {
    const scopes = await listJobScopes(this.#context.db, this.#job.id)
    const isEnded = ({ ended }: JobScope) => ended
    // What was listed before the interruption is not read again here.
    if (scopes.length > 0) await requestPass(this.#context.db, this.#job.workflow_id)
    this.#ended.push(...scopes.filter(isEnded).map(({ scope }) => scope))
    return {
      ended: new Set(this.#ended),
      after: new Map(
        scopes.flatMap((each) => (each.ended || each.position === null ? [] : [[each.scope, each.position]])),
      ),
    }
  }

  async record(batch: ListingBatch): Promise<void> {
    const { db } = this.#context
    const { scope, end } = batch
    const { asOf, outdated } = await db.transaction().execute(async (transaction) => {
      await lockWanted(transaction, this.#job.workflow_id)
      return this.#recordIn(transaction, batch)
    })
    this.#scopes.set(scope, { asOf, outdated })
    if (!end) return
    this.#ended.push(scope)
    if (!outdated) await proveScope(db, this.#job.workflow_id, { scope, asOf, jobId: this.#job.id })
  }

  async #recordIn(transaction: Database, batch: ListingBatch): Promise<{ asOf: Date; outdated: boolean }> {
    const { selected } = this.#context
    const { scope, refs, end } = batch
    const asOf = batch.asOf ?? this.#began
    const ofRun = selected ? refs.filter((ref) => selected.has(ref.recordId)) : refs
    // Compared before the wanted state changes: the permission writer follows it at once.
    const compared = await this.#compare(transaction, ofRun)
    const isNewest = await this.#apply(transaction, batch, { asOf, ofRun })
    if (selected) {
      if (!(await holdActive(transaction, this.#job.id))) throw cancelled(this.#job.id)
      await this.#send(transaction, compared.documents, asOf)
      const before = this.#scopes.get(scope)
      return { asOf: earliest(before?.asOf, asOf), outdated: !isNewest || (before?.outdated ?? false) }
    }
    const unseen = await unseenInRange(transaction, this.#job.workflow_id, {
      ...{ scope, after: batch.after, to: batch.to },
      without: refs.map(({ recordId }) => recordId),
    })
    await removeUnlisted(transaction, this.#job.id, {
      listed: refs.map(({ recordId }) => recordId),
      moved: compared.moved,
    })
    await addUnlisted(
      transaction,
      this.#job.id,
      unseen.map(({ recordId }) => recordId),
    )
    const isUnchanged = ({ kind }: ListedDocument) => kind === 'unchanged'
    const advanced = await advanceScope(transaction, this.#job.id, {
      ...{ scope, after: batch.after, to: batch.to, asOf, outdated: !isNewest },
      unchanged: compared.documents.filter(isUnchanged).length,
      ...(end ? { end } : {}),
    })
    if (!advanced) throw new AppError('cancelled', `another task lists scope ${scope} of job ${this.#job.id}`)
    await this.#send(
      transaction,
      compared.documents.filter((document) => !isUnchanged(document)),
      asOf,
    )
    return advanced
  }

  /** Every listed document gets its current permissions; only documents of the run may be added or move versions. */
  async #apply(
    transaction: Database,
    { scope, refs }: ListingBatch,
    { asOf, ofRun }: { asOf: Date; ofRun: DocumentRef[] },
  ): Promise<boolean> {
    const { workflow_id: workflowId } = this.#job
    const inRun = new Set(ofRun)
    const others = refs.filter((ref) => !inRun.has(ref))
    const apply = (part: DocumentRef[], mode: 'content' | 'permissions') =>
      applyInTransaction(transaction, workflowId, { page: { scope, refs: part, asOf }, mode })
    const applied = await apply(ofRun, 'content')
    const alsoApplied = await apply(others, 'permissions')
    return applied.isNewest && alsoApplied.isNewest
  }

  async #send(transaction: Database, documents: ListedDocument[], asOf: Date): Promise<void> {
    const { engine } = this.#context
    const jobId = this.#job.id
    await recordListed(transaction, { jobId, asOf }, documents)
    const work = documents.filter(({ kind }) => needsWork(kind)).length
    await sendContentTasks(transaction, { engine, jobId, documents: work })
  }

  /** What each listed document needs by its ledger entry, and which are in another place than their entry. */
  async #compare(
    transaction: Database,
    listed: DocumentRef[],
  ): Promise<{ documents: ListedDocument[]; moved: string[] }> {
    const { run } = this.#context
    const { workflow_id: workflowId, settings } = this.#job
    const recordIds = listed.map((ref) => ref.recordId)
    const known = await findDocuments(transaction, run.ledger, recordIds)
    // A staged index is empty; documents of the searched index still count as changed.
    const before = run.swap ? await findDocuments(transaction, { workflowId }, recordIds) : known
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
}

function kindOf(compared: ChangeKind, before: Entry | undefined): ChangeKind {
  return compared === 'new' && before?.version ? 'changed' : compared
}

function earliest(a: Date | undefined, b: Date): Date {
  return a && a < b ? a : b
}
