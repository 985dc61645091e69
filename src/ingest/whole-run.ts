import type { ListingPage } from '../connectors/source.ts'
import type { DocumentRef } from '../document.ts'
import { AppError, explain } from '../errors.ts'
import { DOCUMENT_GONE, type Entry } from '../ledger-entry.ts'
import type { Warning } from '../report.ts'
import { compare, isExcluded } from './compare.ts'
import {
  CHANGED_TOO_OFTEN,
  MAX_LISTINGS,
  MAX_LISTINGS_FOR_MOVED,
  permissionsExpiry,
  SLICE_SIZE,
} from './relist-limits.ts'
import { applyRemoval, hideMoved, hideUnlisted, type ListingResult, planRemoval } from './removal.ts'
import { isDestinationError, revokeAccess } from './revoke-access.ts'
import type { RunLedger } from './run-ledger.ts'
import { giveUpSlice, processSlice } from './slice.ts'
import type { DocumentOutcome, DocumentTask, SliceContext } from './slice-context.ts'
import { type CountedState, type Counts, type DocumentFailure, Tally } from './tally.ts'

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

type FinalOutcome = Exclude<DocumentOutcome, { state: 'relist' }>
type TitleAndUrl = { title: string; url: string }

/** Two slices are read while one is processed; more would wait for a CPU core. */
const MAX_CONCURRENT_SLICES = 3

/**
 * Runs a workflow in one process: lists the source, processes changes, lists documents again that changed meanwhile,
 * and removes documents that left. Follows the rules of a job; after a crash, run it again.
 */
export async function runWhole(run: WholeRunOptions, signal: AbortSignal): Promise<RunResult> {
  const state = new RunState(run, signal)
  try {
    await state.listAndProcess(null)
    // A large source takes longer than permissions may age: listings that get on do not count.
    for (let fruitless = 1; state.deferred.size > 0 && fruitless < MAX_LISTINGS; ) {
      const before = state.deferred.size
      await state.listAgain(new Set(state.deferred))
      fruitless = state.deferred.size < before ? 1 : fruitless + 1
    }
    await state.giveUp(CHANGED_TOO_OFTEN)
    await state.remove()
    return state.result(null)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    await state.endEarly(error)
    if (!(error instanceof AppError)) throw error
    return state.result(error)
  }
}

class RunState {
  readonly deferred = new Set<string>()
  listings = 0
  complete = false
  readonly #run: WholeRunOptions
  readonly #signal: AbortSignal
  readonly #tally = new Tally()
  readonly #listed = new Set<string>()
  /** The scope in which each document was listed last, and the count that includes it. */
  readonly #lastListed = new Map<string, { scope: string; counted?: CountedState }>()
  /** The last task of a deferred document; none if it was listed in two scopes. */
  readonly #deferredTasks = new Map<string, DocumentTask>()
  /** Listed in a second scope while the first was processed. */
  readonly #moved = new Set<string>()
  /** In a slice or deferred, without an outcome yet. */
  readonly #unfinished = new Map<string, TitleAndUrl>()
  /** Listed, then gone; counted last, since they may be found again. */
  readonly #gone = new Map<string, FinalOutcome>()
  readonly #closed = new Map<string, string | null>()
  readonly #warnings: Warning[] = []
  #heldBack = 0

  constructor(run: WholeRunOptions, signal: AbortSignal) {
    this.#run = run
    this.#signal = signal
  }

  /** Lists the source and processes changes, of all or some documents. */
  async listAndProcess(only: ReadonlySet<string> | null): Promise<void> {
    this.listings++
    const stop = new AbortController()
    const signal = AbortSignal.any([this.#signal, stop.signal])
    const slices = new Slices((tasks) => this.#processSlice(tasks, signal), stop)
    const listedAgain = new Set<string>()
    let complete = false
    try {
      for await (const page of this.#run.source.list(signal)) {
        signal.throwIfAborted()
        if (page.kind === 'complete') complete = true
        else if (page.kind === 'refs') await this.#processRefs(page, only, { slices, listedAgain })
        else if (!only) this.#handleEvent(page)
      }
      await slices.flush()
    } catch (error) {
      // Refs from before the failure are processed; a slice's error is the cause.
      if (!stop.signal.aborted) await slices.flush().catch(() => {})
      await slices.settled()
      throw slices.error ?? error
    }
    await slices.settled()
    if (slices.error) throw slices.error
    if (!only) this.complete = complete
    // Documents that the second listing lacks have left the source.
    else if (complete) for (const recordId of only.difference(listedAgain)) this.#uncount(recordId)
    this.#progress(true)
  }

  /** What is missing may not stay visible until the other documents are done. */
  async listAgain(only: ReadonlySet<string>): Promise<void> {
    await this.#hideUnlisted()
    await this.listAndProcess(only)
  }

  /** Fails documents without an outcome, and hides stale permissions. */
  async giveUp(error: { code: string; message: string }): Promise<void> {
    const tasks = [...this.#unfinished.keys()].flatMap((recordId) => this.#deferredTasks.get(recordId) ?? [])
    await this.#giveUpTasks(tasks, error)
    // The others were listed in two scopes, so their permissions are uncertain.
    const known = await this.#run.ledger.find([...this.#unfinished.keys()])
    await this.#hide([...known.values()])
    this.#failUnfinished(error)
  }

  /** After an error, fails unfinished documents and hides missing ones. */
  async endEarly(error: unknown): Promise<void> {
    const { code, message } = explain(error)
    this.#failUnfinished({ code, message: `not reached: ${message}` })
    if (isDestinationError(error)) return
    try {
      await this.#hideUnlisted()
    } catch (failed) {
      if (!(failed instanceof AppError)) throw failed
    }
  }

  async remove(): Promise<void> {
    const { source, destination, ledger, approved } = this.#run
    const unlisted = () => this.#unlisted()
    for (let listings = 1; ; listings++) {
      const planning = {
        source,
        indexedCount: ledger.count(),
        approved,
        approval: 'a run with --approve-deletions removes them',
      }
      const found = await planRemoval(unlisted(), this.#listing, { ...planning, signal: this.#signal })
      const isLast = found.moved.length === 0 || listings >= MAX_LISTINGS_FOR_MOVED
      if (isLast) {
        const plan = hideMoved(found)
        for (const warning of plan.warnings) this.#warn(warning)
        this.#heldBack = plan.heldBack
        const onRemoved = async ({ length }: unknown[]) => {
          this.#tally.counts.removed += length
        }
        const storage = { unlisted, openLedger: async () => ledger.forTask(), destination, onRemoved }
        await applyRemoval(plan, storage, this.#signal)
        return
      }
      await this.listAgain(new Set(found.moved.map(({ recordId }) => recordId)))
      await this.giveUp(CHANGED_TOO_OFTEN)
    }
  }

  get #listing(): ListingResult {
    return { closed: this.#closed, complete: this.complete }
  }

  #unlisted(): AsyncIterable<Entry[]> {
    return this.#run.ledger.entriesExcept(this.#listed.difference(this.#gone))
  }

  #hideUnlisted(): Promise<void> {
    return hideUnlisted(this.#unlisted(), this.#listing, (entries) => this.#hide(entries))
  }

  #hide(entries: Entry[]): Promise<void> {
    const { destination, ledger } = this.#run
    return revokeAccess(entries, { ledger: ledger.forTask(), destination }, this.#signal)
  }

  #failUnfinished(error: { code: string; message: string }): void {
    for (const [recordId, titleAndUrl] of this.#unfinished)
      this.#recordOutcome({ recordId, state: 'failed', error }, titleAndUrl)
    this.deferred.clear()
    this.#deferredTasks.clear()
  }

  async #giveUpTasks(tasks: DocumentTask[], error: { code: string; message: string }): Promise<void> {
    const refs = new Map(tasks.map(({ ref }) => [ref.recordId, ref]))
    const report = async (outcomes: DocumentOutcome[]) => {
      for (const outcome of outcomes) {
        const ref = refs.get(outcome.recordId)
        if (ref && outcome.state !== 'relist') this.#recordOutcome(outcome, ref)
      }
    }
    await giveUpSlice(tasks, { context: this.#context(report, this.#signal), error }, this.#signal)
  }

  result(failure: AppError | null): RunResult {
    for (const outcome of this.#gone.values()) this.#tally.count(outcome)
    this.#gone.clear()
    for (const warning of this.#tally.missingWarnings()) this.#warn(warning)
    return {
      counts: this.#tally.counts,
      warnings: this.#warnings,
      skips: this.#tally.skips(),
      heldBack: this.#heldBack,
      complete: this.complete,
      failure,
    }
  }

  async #processRefs(
    page: Extract<ListingPage, { kind: 'refs' }>,
    only: ReadonlySet<string> | null,
    { slices, listedAgain }: { slices: Slices; listedAgain: Set<string> },
  ): Promise<void> {
    const { ledger, settingsHash, reprocessAll } = this.#run
    const refs = only ? page.refs.filter((ref) => only.has(ref.recordId)) : page.refs
    const known = await ledger.find(refs.map((ref) => ref.recordId))
    for (const ref of refs) {
      const entry = known.get(ref.recordId)
      if (isExcluded(ref, entry)) {
        this.#uncount(ref.recordId)
        continue
      }
      if (only) listedAgain.add(ref.recordId)
      const wasGone = this.#gone.delete(ref.recordId)
      const isAgain = this.deferred.delete(ref.recordId) || wasGone
      this.#deferredTasks.delete(ref.recordId)
      if (this.#listed.has(ref.recordId) && !isAgain) {
        this.#handleSecondScope(ref)
        continue
      }
      if (!this.#listed.has(ref.recordId)) this.#tally.counts.discovered++
      this.#listed.add(ref.recordId)
      this.#lastListed.set(ref.recordId, { scope: ref.scope })
      this.#unfinished.delete(ref.recordId)
      const kind = compare(ref, entry, { settingsHash, reprocessAll })
      if (kind === 'unchanged') {
        this.#tally.counts.unchanged++
        this.#lastListed.set(ref.recordId, { scope: ref.scope, counted: kind })
      } else if (kind === 'skipped') {
        this.#tally.counts.skipped++
        if (entry?.skipped) this.#tally.countSkip(entry.skipped)
      } else {
        this.#unfinished.set(ref.recordId, { title: ref.title, url: ref.url })
        await slices.add({ ref, kind, expiresAt: permissionsExpiry(page.asOf), asOf: page.asOf })
      }
    }
    this.#progress(false)
  }

  /**
   * A document that moved during the listing appears in two scopes with different permissions: it is listed again.
   * Skipped and failed documents have no permissions to correct.
   */
  #handleSecondScope({ recordId, scope, title, url }: DocumentRef): void {
    const before = this.#lastListed.get(recordId)
    if (!before || before.scope === scope) return
    before.scope = scope
    if (this.#unfinished.has(recordId)) this.#moved.add(recordId)
    else if (before.counted) {
      this.#tally.uncount(before.counted)
      this.#unfinished.set(recordId, { title, url })
      this.deferred.add(recordId)
    }
  }

  #handleEvent(page: Extract<ListingPage, { kind: 'end' | 'warning' }>): void {
    if (page.kind === 'end') this.#closed.set(page.scope, page.upTo ?? null)
    else this.#warn(page.warning)
  }

  async #processSlice(tasks: DocumentTask[], signal: AbortSignal): Promise<void> {
    const remaining = new Map(tasks.map((task) => [task.ref.recordId, task.ref]))
    const byRecord = new Map(tasks.map((task) => [task.ref.recordId, task]))
    const report = async (outcomes: DocumentOutcome[]) => {
      for (const outcome of outcomes) {
        const ref = remaining.get(outcome.recordId)
        if (!ref) continue
        remaining.delete(outcome.recordId)
        const isMoved = this.#moved.delete(outcome.recordId)
        if (isMoved || outcome.state === 'relist') this.deferred.add(outcome.recordId)
        else this.#recordOutcome(outcome, ref)
        const task = isMoved || outcome.state !== 'relist' ? undefined : byRecord.get(outcome.recordId)
        if (task) this.#deferredTasks.set(outcome.recordId, task)
      }
      this.#progress(false)
    }
    try {
      await processSlice(tasks, this.#context(report, signal), signal)
    } catch (error) {
      if (signal.aborted || (error instanceof AppError && error.endsJob)) throw error
      const reason = error instanceof AppError ? explain(error) : unexpected(error)
      const moved = [...remaining.keys()].filter((recordId) => this.#moved.delete(recordId))
      for (const recordId of moved) this.deferred.add(recordId)
      const rest = tasks.filter(
        ({ ref: { recordId } }) => remaining.has(recordId) && !moved.includes(recordId),
      )
      await this.#giveUpTasks(rest, reason)
    }
  }

  #context(report: SliceContext['report'], signal: AbortSignal): SliceContext {
    const { source, destination, settingsHash, runner, ledger } = this.#run
    const byRecord = (refs: DocumentRef[]) => new Map(refs.map((ref) => [ref.recordId, ref]))
    return {
      ...{ source, destination, settingsHash, runner, report },
      openLedger: async () => {
        signal.throwIfAborted()
        return ledger.forTask()
      },
      wanted: async (refs) => byRecord(refs),
      relist: source.relist
        ? async (refs) => byRecord((await source.relist?.(refs, signal))?.refs ?? [])
        : null,
    }
  }

  #recordOutcome(outcome: FinalOutcome, { title, url }: TitleAndUrl): void {
    this.#unfinished.delete(outcome.recordId)
    if (outcome.state === 'skipped' && outcome.error.code === DOCUMENT_GONE) {
      this.#gone.set(outcome.recordId, outcome)
      return
    }
    this.#tally.count(outcome)
    const listed = this.#lastListed.get(outcome.recordId)
    if (listed && 'elements' in outcome) listed.counted = outcome.state
    if (outcome.state !== 'failed') return
    this.#run.watch.failed({ record_id: outcome.recordId, title, url, ...outcome.error })
  }

  /** Removes a deferred document that is not part of the run from the counts. */
  #uncount(recordId: string): void {
    if (!this.deferred.delete(recordId)) return
    this.#unfinished.delete(recordId)
    this.#listed.delete(recordId)
    this.#lastListed.delete(recordId)
    this.#tally.counts.discovered--
  }

  #warn(warning: Warning): void {
    this.#warnings.push(warning)
    this.#run.watch.warning(warning)
  }

  #progress(listed: boolean): void {
    this.#run.watch.progress(this.#tally.counts, listed)
  }
}

/** The command line has no log, so the message shows the error itself. */
function unexpected(error: unknown): { code: string; message: string } {
  return { code: 'internal', message: `an unexpected error (${String(error)}); please report it` }
}

/** Collects tasks into slices and processes a few at a time; `add` waits if too many run. */
class Slices {
  error: unknown = null
  readonly #processTasks: (tasks: DocumentTask[]) => Promise<void>
  readonly #stop: AbortController
  readonly #running = new Set<Promise<void>>()
  #pending: DocumentTask[] = []

  constructor(processTasks: (tasks: DocumentTask[]) => Promise<void>, stop: AbortController) {
    this.#processTasks = processTasks
    this.#stop = stop
  }

  async add(task: DocumentTask): Promise<void> {
    this.#pending.push(task)
    if (this.#pending.length >= SLICE_SIZE) await this.flush()
  }

  async flush(): Promise<void> {
    const tasks = this.#pending
    this.#pending = []
    if (tasks.length === 0) return
    while (this.#running.size >= MAX_CONCURRENT_SLICES) await Promise.race(this.#running)
    const processing = this.#processTasks(tasks).catch((error: unknown) => {
      this.error ??= error
      // The other slices would fail the same way.
      this.#stop.abort(error)
    })
    const done = processing.finally(() => this.#running.delete(done))
    this.#running.add(done)
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running)
  }
}
