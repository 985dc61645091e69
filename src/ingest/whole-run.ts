import type { ListingPage } from '../connectors/source.ts'
import type { DocumentRef } from '../document.ts'
import { AppError, explain } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import type { Warning } from '../report.ts'
import { compare, isExcluded } from './compare.ts'
import { CHANGED_TOO_OFTEN, MAX_LISTINGS, MAX_LISTINGS_FOR_MOVED } from './relist-limits.ts'
import {
  applyRemoval,
  hideDocuments,
  hideMoved,
  hideUnlisted,
  type ListingResult,
  planRemoval,
  type RemovalPlan,
} from './removal.ts'
import { isDestinationError } from './revoke-access.ts'
import { RunDocuments } from './run-documents.ts'
import type { RunLedger } from './run-ledger.ts'
import { giveUpSlice, processSlice, type UnfinishedDocuments } from './slice.ts'
import type { DocumentTask, SliceContext } from './slice-context.ts'
import { SliceQueue } from './slice-queue.ts'
import type { Counts, DocumentFailure } from './tally.ts'

export type WholeRunOptions = Pick<SliceContext, 'source' | 'destination' | 'settingsHash' | 'runner'> & {
  ledger: RunLedger
  reprocessAll: boolean
  /** Whether removals above the guard need no approval. */
  approved: boolean
  watch: RunWatcher
}

/** Receives the progress. */
export type RunWatcher = {
  progress(counts: Counts, listed: boolean): void
  failed(failure: DocumentFailure): void
  warning(warning: Warning): void
}

export type RunResult = {
  counts: Counts
  warnings: Warning[]
  skips: { code: string; documents: number; message: string }[]
  /** Removals that wait for approval. */
  heldBack: number
  /** Whether the listing reached its end. */
  complete: boolean
  /** The error that ended the run early. */
  failure: AppError | null
}

type RefsPage = Extract<ListingPage, { kind: 'refs' }>
type Reason = { code: string; message: string }

/**
 * Runs a workflow in one process: lists the source, processes changes, lists documents again that changed meanwhile,
 * and removes documents that left. Follows the rules of a job; after a crash, run it again.
 */
export async function runWhole(options: WholeRunOptions, signal: AbortSignal): Promise<RunResult> {
  const run = new WholeRun(options, signal)
  try {
    await run.list(null)
    await run.listDeferred()
    await run.giveUp(CHANGED_TOO_OFTEN)
    await run.remove()
    return run.result(null)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    await run.endEarly(error)
    if (!(error instanceof AppError)) throw error
    return run.result(error)
  }
}

class WholeRun {
  readonly #options: WholeRunOptions
  readonly #signal: AbortSignal
  readonly #documents: RunDocuments
  readonly #warnings: Warning[] = []
  /** Of the first listing, which shows all documents. */
  #listing: ListingResult = { closed: new Map(), complete: false }
  #heldBack = 0

  constructor(options: WholeRunOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
    this.#documents = new RunDocuments((failure) => options.watch.failed(failure))
  }

  /** Lists the source and processes changes, of all or some documents. */
  async list(only: ReadonlySet<string> | null): Promise<void> {
    const listing = { closed: new Map<string, string | null>(), complete: false }
    if (!only) this.#listing = listing
    this.#documents.beginListing()
    const slices = new SliceQueue((tasks, signal) => this.#processSlice(tasks, signal), this.#signal)
    try {
      for await (const page of this.#options.source.list(slices.signal)) {
        slices.signal.throwIfAborted()
        if (page.kind === 'complete') listing.complete = true
        else if (page.kind === 'end') listing.closed.set(page.scope, page.upTo ?? null)
        else if (page.kind === 'refs') await this.#listRefs(page, only, slices)
        else if (!only) this.#warn(page.warning)
      }
    } finally {
      // Refs from before a failure are processed; the error of a slice is its cause.
      await slices.end()
    }
    await this.#hide(this.#documents.endListing(listing))
    this.#progress(true)
  }

  async #listRefs(page: RefsPage, only: ReadonlySet<string> | null, slices: SliceQueue): Promise<void> {
    const { ledger, settingsHash, reprocessAll } = this.#options
    const refs = only ? page.refs.filter((ref) => only.has(ref.recordId)) : page.refs
    const known = await ledger.find(refs.map((ref) => ref.recordId))
    for (const ref of refs) {
      const entry = known.get(ref.recordId)
      if (isExcluded(ref, entry)) {
        this.#documents.drop(ref.recordId)
        continue
      }
      const kind = compare(ref, entry, { settingsHash, reprocessAll })
      const task = this.#documents.list({ ref, kind, asOf: page.asOf, entry })
      if (task) await slices.add(task)
    }
    this.#progress(false)
  }

  async #processSlice(tasks: DocumentTask[], signal: AbortSignal): Promise<void> {
    try {
      await processSlice(tasks, this.#context(signal), signal)
    } catch (error) {
      if (signal.aborted || (error instanceof AppError && error.endsJob)) throw error
      const reason = error instanceof AppError ? explain(error) : unexpected(error)
      await this.#giveUp({ tasks: this.#documents.leftOf(tasks), uncertain: [] }, reason)
    }
  }

  /** A large source takes longer than permissions may age: listings that get on do not count. */
  async listDeferred(): Promise<void> {
    let deferred = this.#documents.deferred()
    for (let fruitless = 1; deferred.size > 0 && fruitless < MAX_LISTINGS; ) {
      const before = deferred.size
      await this.#listAgain(deferred)
      deferred = this.#documents.deferred()
      fruitless = deferred.size < before ? 1 : fruitless + 1
    }
  }

  /** What is missing may not stay visible until the other documents are done. */
  async #listAgain(only: ReadonlySet<string>): Promise<void> {
    await this.#hideUnlisted()
    await this.list(only)
  }

  /** Fails documents without an outcome, and hides stale or uncertain permissions. */
  async giveUp(error: Reason): Promise<void> {
    await this.#giveUp(this.#documents.unfinished(), error)
    this.#documents.failUnfinished(error)
  }

  #giveUp(unfinished: UnfinishedDocuments, error: Reason): Promise<void> {
    return giveUpSlice(unfinished, { context: this.#context(this.#signal), error }, this.#signal)
  }

  /** Removes documents that left. Lists those once more that the listing missed. */
  async remove(): Promise<void> {
    for (let listings = 1; ; listings++) {
      const found = await this.#planRemoval()
      if (found.moved.length === 0 || listings >= MAX_LISTINGS_FOR_MOVED)
        return this.#applyRemoval(hideMoved(found))
      await this.#listAgain(new Set(found.moved.map(({ recordId }) => recordId)))
      await this.giveUp(CHANGED_TOO_OFTEN)
    }
  }

  #planRemoval(): Promise<RemovalPlan> {
    const { source, ledger, approved } = this.#options
    return planRemoval(this.#unlisted(), this.#listing, {
      source,
      indexedCount: ledger.count(),
      approved,
      signal: this.#signal,
      approval: 'a run with --approve-deletions removes them',
    })
  }

  async #applyRemoval(plan: RemovalPlan): Promise<void> {
    for (const warning of plan.warnings) this.#warn(warning)
    this.#heldBack = plan.heldBack
    const onRemoved = async (entries: Entry[]) => {
      this.#documents.tally.counts.removed += entries.length
    }
    const storage = { ...this.#stores(), unlisted: () => this.#unlisted(), onRemoved }
    await applyRemoval(plan, storage, this.#signal)
  }

  /** Documents without an outcome fail, and nothing stays visible that the listing does not show. */
  async endEarly(cause: unknown): Promise<void> {
    const { code, message } = explain(cause)
    const error = { code, message: `not reached: ${message}` }
    try {
      if (isDestinationError(cause)) return
      await this.giveUp(error)
      await this.#hideUnlisted()
    } catch (failed) {
      if (!(failed instanceof AppError)) throw failed
    } finally {
      this.#documents.failUnfinished(error)
    }
  }

  result(failure: AppError | null): RunResult {
    const { tally } = this.#documents
    this.#documents.countGone()
    for (const warning of tally.missingWarnings()) this.#warn(warning)
    return {
      counts: tally.counts,
      warnings: this.#warnings,
      skips: tally.skips(),
      heldBack: this.#heldBack,
      complete: this.#listing.complete,
      failure,
    }
  }

  #unlisted(): AsyncIterable<Entry[]> {
    return this.#options.ledger.entriesExcept(this.#documents.shown())
  }

  #hideUnlisted(): Promise<void> {
    const hide = (entries: Entry[]) => this.#hide(entries.map(({ recordId }) => recordId))
    return hideUnlisted(this.#unlisted(), this.#listing, hide)
  }

  #hide(recordIds: string[]): Promise<void> {
    return hideDocuments(recordIds, this.#stores(), this.#signal)
  }

  #stores() {
    const { destination, ledger } = this.#options
    return { destination, openLedger: async () => ledger.forTask() }
  }

  #context(signal: AbortSignal): SliceContext {
    const { source, destination, settingsHash, runner, ledger } = this.#options
    return {
      source,
      destination,
      settingsHash,
      runner,
      openLedger: async () => {
        signal.throwIfAborted()
        return ledger.forTask()
      },
      // A document that moved is not written with the permissions of its old scope.
      wanted: async (refs) => byRecord(refs.filter(({ recordId }) => !this.#documents.isMoved(recordId))),
      relist: source.relist
        ? async (refs) => byRecord((await source.relist?.(refs, signal))?.refs ?? [])
        : null,
      report: async (outcomes) => {
        for (const outcome of outcomes) this.#documents.finish(outcome)
        this.#progress(false)
      },
    }
  }

  #warn(warning: Warning): void {
    this.#warnings.push(warning)
    this.#options.watch.warning(warning)
  }

  #progress(listed: boolean): void {
    this.#options.watch.progress(this.#documents.tally.counts, listed)
  }
}

function byRecord(refs: DocumentRef[]): Map<string, DocumentRef> {
  return new Map(refs.map((ref) => [ref.recordId, ref]))
}

/** The command line has no log, so the message shows the error itself. */
function unexpected(error: unknown): Reason {
  return { code: 'internal', message: `an unexpected error (${String(error)}); please report it` }
}
