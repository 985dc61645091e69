import type { ListingPage } from '../connectors/connector.ts'
import type { DocumentRef } from '../document.ts'
import { AppError, explain } from '../errors.ts'
import { GONE } from '../ledger-entry.ts'
import type { Warning } from '../report.ts'
import { compare, staysOut } from './compare.ts'
import { FRESH_MS, KEPT_CHANGING, MAX_LISTINGS, MISSED_LISTINGS, SLICE } from './relist-limits.ts'
import { applyRemoval, planRemoval, withoutLooking } from './removal.ts'
import { isOfDestination, oldTextHidden, revokeAccess, revokeOldText } from './revoke-access.ts'
import type { RunLedger } from './run-ledger.ts'
import { giveUpSlice, workSlice } from './slice.ts'
import type { DocumentOutcome, DocumentTask, SliceContext } from './slice-context.ts'
import { type Counted, type Counts, type DocumentFailure, Tally } from './tally.ts'

export type WholeRun = Omit<SliceContext, 'ledger' | 'beforeWrite' | 'report'> & {
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
  /** What ended the run before its time. */
  broken: AppError | null
}

type Ended = Exclude<DocumentOutcome, { state: 'again' }>
type Named = { title: string; url: string }

/** Two are read while one is processed; more would wait for the cores. */
const SLICES_AT_ONCE = 3

/**
 * Runs in one process with a ledger: lists, processes changes, lists again what changed meanwhile, removes what left.
 * Follows the rules of a job; a run that dies is run again.
 */
export async function runWhole(run: WholeRun, signal: AbortSignal): Promise<RunResult> {
  const state = new RunState(run, signal)
  try {
    await state.look(null)
    while (state.deferred.size > 0 && state.looks < MAX_LISTINGS) await state.look(new Set(state.deferred))
    await state.giveUp(KEPT_CHANGING)
    await state.remove()
    return state.ending(null)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    await state.breakOff(error)
    if (!(error instanceof AppError)) throw error
    return state.ending(error)
  }
}

class RunState {
  readonly deferred = new Set<string>()
  looks = 0
  complete = false
  readonly #run: WholeRun
  readonly #signal: AbortSignal
  readonly #tally = new Tally()
  readonly #seen = new Set<string>()
  /** The last scope of each document, and its outcome in the counts. */
  readonly #sights = new Map<string, { scope: string; counted?: Counted }>()
  /** The last task of a deferred document; none if it was listed in two scopes. */
  readonly #putOff = new Map<string, DocumentTask>()
  /** Listed in a second scope while the first was processed. */
  readonly #moved = new Set<string>()
  /** In a slice or deferred, without an outcome yet. */
  readonly #open = new Map<string, Named>()
  /** Listed, then gone; counted last, since they may be found again. */
  readonly #gone = new Map<string, Ended>()
  readonly #closed = new Map<string, string | null>()
  readonly #warnings: Warning[] = []
  #heldBack = 0

  constructor(run: WholeRun, signal: AbortSignal) {
    this.#run = run
    this.#signal = signal
  }

  /** Lists the source and processes changes, of all or some documents. */
  async look(only: ReadonlySet<string> | null): Promise<void> {
    this.looks++
    const stop = new AbortController()
    const signal = AbortSignal.any([this.#signal, stop.signal])
    const slices = new Slices((tasks) => this.#work(tasks, signal), stop)
    const shown = new Set<string>()
    let complete = false
    try {
      for await (const page of this.#run.source.list(signal)) {
        signal.throwIfAborted()
        if (page.kind === 'complete') complete = true
        else if (page.kind === 'refs') await this.#takeRefs(page, only, { slices, shown })
        else if (!only) this.#takeNote(page)
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
    else if (complete) for (const recordId of only.difference(shown)) this.#uncount(recordId)
    this.#progress(true)
  }

  /** Fails documents without an outcome, and hides stale permissions. */
  async giveUp(error: { code: string; message: string }): Promise<void> {
    const { destination, ledger } = this.#run
    const tasks = [...this.#open.keys()].flatMap((recordId) => this.#putOff.get(recordId) ?? [])
    await this.#giveUpTasks(tasks, error)
    // The rest was listed in two scopes; neither is certain.
    const known = await ledger.find([...this.#open.keys()])
    await revokeAccess([...known.values()], { ledger: ledger.forTask(), destination }, this.#signal)
    this.#failOpen(error)
  }

  /** Ends early: hides text of an earlier release that was not rewritten. */
  async breakOff(error: unknown): Promise<void> {
    const { code, message } = explain(error)
    this.#failOpen({ code, message: `not reached: ${message}` })
    if (isOfDestination(error)) return
    const { destination, ledger } = this.#run
    const into = { ledger: ledger.forTask(), destination }
    try {
      const hidden = await revokeOldText(ledger.others(new Set()), into, this.#signal)
      if (hidden > 0) this.#warn(oldTextHidden(hidden))
    } catch (failed) {
      if (!(failed instanceof AppError)) throw failed
    }
  }

  async remove(): Promise<void> {
    const { source, destination, ledger, approved } = this.#run
    const listing = { closed: this.#closed, complete: this.complete }
    const unseen = () => ledger.others(this.#seen.difference(this.#gone))
    for (let looks = 1; ; looks++) {
      const planning = { source, known: ledger.count(), approved, approval: '--approve-deletions' }
      const found = await planRemoval(unseen(), listing, { ...planning, signal: this.#signal })
      const isLast = found.moved.length === 0 || looks >= MISSED_LISTINGS
      if (isLast) {
        const plan = withoutLooking(found)
        for (const warning of plan.warnings) this.#warn(warning)
        this.#heldBack = plan.heldBack
        const removed = async ({ length }: unknown[]) => {
          this.#tally.counts.removed += length
        }
        const storage = { unseen, ledger: ledger.forTask(), destination, removed }
        await applyRemoval(plan, storage, this.#signal)
        return
      }
      await this.look(new Set(found.moved.map(({ recordId }) => recordId)))
      await this.giveUp(KEPT_CHANGING)
    }
  }

  #failOpen(error: { code: string; message: string }): void {
    for (const [recordId, named] of this.#open) this.#finish({ recordId, state: 'failed', error }, named)
    this.deferred.clear()
    this.#putOff.clear()
  }

  async #giveUpTasks(tasks: DocumentTask[], error: { code: string; message: string }): Promise<void> {
    const named = new Map(tasks.map(({ ref }) => [ref.recordId, ref]))
    const report = async (outcomes: DocumentOutcome[]) => {
      for (const outcome of outcomes) {
        const ref = named.get(outcome.recordId)
        if (ref && outcome.state !== 'again') this.#finish(outcome, ref)
      }
    }
    const beforeWrite = async () => this.#signal.throwIfAborted()
    const context = { ...this.#run, ledger: this.#run.ledger.forTask(), beforeWrite, report }
    await giveUpSlice(tasks, { context, error }, this.#signal)
  }

  ending(broken: AppError | null): RunResult {
    for (const outcome of this.#gone.values()) this.#tally.take(outcome)
    this.#gone.clear()
    for (const warning of this.#tally.missing()) this.#warn(warning)
    return {
      counts: this.#tally.counts,
      warnings: this.#warnings,
      skips: this.#tally.skips(),
      heldBack: this.#heldBack,
      complete: this.complete,
      broken,
    }
  }

  async #takeRefs(
    page: Extract<ListingPage, { kind: 'refs' }>,
    only: ReadonlySet<string> | null,
    { slices, shown }: { slices: Slices; shown: Set<string> },
  ): Promise<void> {
    const { ledger, settingsHash, reprocessAll } = this.#run
    const refs = only ? page.refs.filter((ref) => only.has(ref.recordId)) : page.refs
    const known = await ledger.find(refs.map((ref) => ref.recordId))
    for (const ref of refs) {
      const entry = known.get(ref.recordId)
      if (staysOut(ref, entry)) {
        this.#uncount(ref.recordId)
        continue
      }
      if (only) shown.add(ref.recordId)
      const wasGone = this.#gone.delete(ref.recordId)
      const isAgain = this.deferred.delete(ref.recordId) || wasGone
      this.#putOff.delete(ref.recordId)
      if (this.#seen.has(ref.recordId) && !isAgain) {
        this.#seeAgain(ref)
        continue
      }
      if (!this.#seen.has(ref.recordId)) this.#tally.counts.discovered++
      this.#seen.add(ref.recordId)
      this.#sights.set(ref.recordId, { scope: ref.scope })
      this.#open.delete(ref.recordId)
      const kind = compare(ref, entry, { settingsHash, reprocessAll })
      if (kind === 'unchanged') {
        this.#tally.counts.unchanged++
        this.#sights.set(ref.recordId, { scope: ref.scope, counted: kind })
      } else if (kind === 'skipped') {
        this.#tally.counts.skipped++
        if (entry?.skipped) this.#tally.skip(entry.skipped)
      } else {
        this.#open.set(ref.recordId, { title: ref.title, url: ref.url })
        await slices.add({ ref, kind, until: new Date(page.asOf.getTime() + FRESH_MS) })
      }
    }
    this.#progress(false)
  }

  /**
   * A document that moved is listed twice, with the permissions of either scope: it is listed once more. Skipped and
   * failed ones have none.
   */
  #seeAgain({ recordId, scope, title, url }: DocumentRef): void {
    const before = this.#sights.get(recordId)
    if (!before || before.scope === scope) return
    before.scope = scope
    if (this.#open.has(recordId)) this.#moved.add(recordId)
    else if (before.counted) {
      this.#tally.takeBack(before.counted)
      this.#open.set(recordId, { title, url })
      this.deferred.add(recordId)
    }
  }

  #takeNote(page: Extract<ListingPage, { kind: 'end' | 'warning' }>): void {
    if (page.kind === 'end') this.#closed.set(page.scope, page.upTo ?? null)
    else this.#warn(page.warning)
  }

  async #work(tasks: DocumentTask[], signal: AbortSignal): Promise<void> {
    const left = new Map(tasks.map((task) => [task.ref.recordId, task.ref]))
    const byRecord = new Map(tasks.map((task) => [task.ref.recordId, task]))
    const report = async (outcomes: DocumentOutcome[]) => {
      for (const outcome of outcomes) {
        const ref = left.get(outcome.recordId)
        if (!ref) continue
        left.delete(outcome.recordId)
        const isMoved = this.#moved.delete(outcome.recordId)
        if (isMoved || outcome.state === 'again') this.deferred.add(outcome.recordId)
        else this.#finish(outcome, ref)
        const task = isMoved || outcome.state !== 'again' ? undefined : byRecord.get(outcome.recordId)
        if (task) this.#putOff.set(outcome.recordId, task)
      }
      this.#progress(false)
    }
    const ledger = this.#run.ledger.forTask()
    try {
      await workSlice(
        tasks,
        { ...this.#run, ledger, beforeWrite: async () => signal.throwIfAborted(), report },
        signal,
      )
    } catch (error) {
      if (signal.aborted || (error instanceof AppError && error.endsJob)) throw error
      const reason = error instanceof AppError ? explain(error) : unforeseen(error)
      const moved = [...left.keys()].filter((recordId) => this.#moved.delete(recordId))
      for (const recordId of moved) this.deferred.add(recordId)
      const rest = tasks.filter(({ ref: { recordId } }) => left.has(recordId) && !moved.includes(recordId))
      await this.#giveUpTasks(rest, reason)
    }
  }

  #finish(outcome: Ended, { title, url }: Named): void {
    this.#open.delete(outcome.recordId)
    if (outcome.state === 'skipped' && outcome.error.code === GONE) {
      this.#gone.set(outcome.recordId, outcome)
      return
    }
    this.#tally.take(outcome)
    const sight = this.#sights.get(outcome.recordId)
    if (sight && 'elements' in outcome) sight.counted = outcome.state
    if (outcome.state !== 'failed') return
    this.#run.watch.failed({ record_id: outcome.recordId, title, url, ...outcome.error })
  }

  /** For a deferred document that is not part of the run. */
  #uncount(recordId: string): void {
    if (!this.deferred.delete(recordId)) return
    this.#open.delete(recordId)
    this.#seen.delete(recordId)
    this.#sights.delete(recordId)
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
function unforeseen(error: unknown): { code: string; message: string } {
  return { code: 'internal', message: `an unexpected error (${String(error)}); please report it` }
}

/** Gathers tasks into slices and processes a few at a time; adding waits for room. */
class Slices {
  error: unknown = null
  readonly #work: (tasks: DocumentTask[]) => Promise<void>
  readonly #stop: AbortController
  readonly #under = new Set<Promise<void>>()
  #gathered: DocumentTask[] = []

  constructor(work: (tasks: DocumentTask[]) => Promise<void>, stop: AbortController) {
    this.#work = work
    this.#stop = stop
  }

  async add(task: DocumentTask): Promise<void> {
    this.#gathered.push(task)
    if (this.#gathered.length >= SLICE) await this.flush()
  }

  async flush(): Promise<void> {
    const tasks = this.#gathered
    this.#gathered = []
    if (tasks.length === 0) return
    while (this.#under.size >= SLICES_AT_ONCE) await Promise.race(this.#under)
    const working = this.#work(tasks).catch((error: unknown) => {
      this.error ??= error
      // The other slices would fail the same way.
      this.#stop.abort(error)
    })
    const done = working.finally(() => this.#under.delete(done))
    this.#under.add(done)
  }

  async settled(): Promise<void> {
    await Promise.all(this.#under)
  }
}
