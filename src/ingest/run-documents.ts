import type { DocumentRef } from '../document.ts'
import { DOCUMENT_GONE, type Entry } from '../ledger-entry.ts'
import type { ChangeKind } from './compare.ts'
import { permissionsExpiry } from './relist-limits.ts'
import type { ListingResult } from './removal.ts'
import type { DocumentOutcome, DocumentTask } from './slice-context.ts'
import { type CountedState, type DocumentFailure, Tally } from './tally.ts'

type FinalOutcome = Exclude<DocumentOutcome, { state: 'relist' }>
type Reason = { code: string; message: string }

/**
 * A document without an outcome. *Waiting*: a slice has it. *Moved*: a slice has it, and the listing showed it in a
 * second scope. *Deferred*: it is listed again. *Uncertain*: it is listed again, and its last ref may have wrong
 * permissions.
 */
type Unfinished = { state: 'waiting' | 'moved' | 'deferred' | 'uncertain'; task: DocumentTask }

/** The scope and the listing that showed the document last, and what became of it. */
type RunDocument = { scope: string; listing: number } & (
  | Unfinished
  /** Counted last, since it may be found again. */
  | { state: 'gone'; outcome: FinalOutcome }
  | { state: CountedState | 'skipped' }
)

/** A ref as it was listed, compared with its entry. */
type ListedRef = { ref: DocumentRef; kind: ChangeKind; asOf: Date; entry: Entry | undefined }

/** The listed documents of a run in one process, and their counts. */
export class RunDocuments {
  readonly tally = new Tally()
  readonly #onFailed: (failure: DocumentFailure) => void
  readonly #documents = new Map<string, RunDocument>()
  #listing = 0

  constructor(onFailed: (failure: DocumentFailure) => void) {
    this.#onFailed = onFailed
  }

  beginListing(): void {
    this.#listing++
  }

  /** Returns the task if the document has to be processed. */
  list({ ref, kind, asOf, entry }: ListedRef): DocumentTask | null {
    const { recordId, scope } = ref
    const before = this.#documents.get(recordId)
    if (before && !isDeferred(before) && before.state !== 'gone') {
      if (before.scope !== scope) this.#listInSecondScope(ref, before)
      return null
    }
    if (!before) this.tally.counts.discovered++
    const listed = { scope, listing: this.#listing }
    if (kind === 'unchanged' || kind === 'skipped') {
      this.#documents.set(recordId, { ...listed, state: kind })
      this.tally.counts[kind]++
      if (kind === 'skipped' && entry?.skipped) this.tally.countSkip(entry.skipped)
      return null
    }
    const task = { ref, kind, expiresAt: permissionsExpiry(asOf), asOf }
    this.#documents.set(recordId, { ...listed, state: 'waiting', task })
    return task
  }

  /** It moved during the listing and has different permissions in both scopes, so it is listed again. */
  #listInSecondScope(ref: DocumentRef, before: RunDocument): void {
    const listed = { scope: ref.scope, listing: this.#listing }
    if (isUnfinished(before)) this.#documents.set(ref.recordId, { ...before, ...listed, state: 'moved' })
    // Skipped documents have no elements.
    else if (before.state !== 'skipped' && before.state !== 'gone') {
      this.tally.uncount(before.state)
      const task = { ref, kind: 'changed' } as const
      this.#documents.set(ref.recordId, { ...listed, state: 'uncertain', task })
    }
  }

  /** Drops deferred documents that a complete listing lacks, and returns them. Those that their scope lacks are uncertain. */
  endListing({ closed, complete }: ListingResult): string[] {
    const dropped: string[] = []
    for (const [recordId, document] of this.#documents) {
      if (!isDeferred(document) || document.listing === this.#listing) continue
      if (complete) dropped.push(recordId)
      else if (closed.has(document.scope)) document.state = 'uncertain'
    }
    for (const recordId of dropped) this.drop(recordId)
    return dropped
  }

  /** A deferred document that left the source is not part of the run. */
  drop(recordId: string): void {
    const document = this.#documents.get(recordId)
    if (!document || !isDeferred(document)) return
    this.#documents.delete(recordId)
    this.tally.counts.discovered--
  }

  finish(outcome: DocumentOutcome): void {
    const document = this.#documents.get(outcome.recordId)
    if (!document || !isUnfinished(document)) return
    if (document.state === 'moved') document.state = 'uncertain'
    else if (outcome.state === 'relist') document.state = 'deferred'
    else this.#end(document, outcome)
  }

  /** What a failed slice leaves; documents that moved meanwhile are listed again. */
  leftOf(tasks: DocumentTask[]): DocumentTask[] {
    return tasks.filter((task) => {
      const document = this.#documents.get(task.ref.recordId)
      // A later listing may have given it to another slice.
      if (!document || !isUnfinished(document) || document.task !== task) return false
      if (document.state === 'moved') document.state = 'uncertain'
      return document.state === 'waiting'
    })
  }

  isMoved(recordId: string): boolean {
    return this.#documents.get(recordId)?.state === 'moved'
  }

  /** The documents to list again. */
  deferred(): Set<string> {
    return this.#recordIds(isDeferred)
  }

  /** Documents without an outcome, apart from those whose permissions are uncertain. */
  unfinished(): { tasks: DocumentTask[]; uncertain: string[] } {
    const unfinished = [...this.#documents.values().filter(isUnfinished)]
    const isUncertain = ({ state }: Unfinished) => state === 'moved' || state === 'uncertain'
    return {
      tasks: unfinished.filter((each) => !isUncertain(each)).map(({ task }) => task),
      uncertain: unfinished.filter(isUncertain).map(({ task }) => task.ref.recordId),
    }
  }

  failUnfinished(error: Reason): void {
    for (const [recordId, document] of this.#documents)
      if (isUnfinished(document)) this.#end(document, { recordId, state: 'failed', error })
  }

  /** Documents that the source has, as far as the run knows. */
  shown(): Set<string> {
    return this.#recordIds(({ state }) => state !== 'gone')
  }

  #recordIds(isMeant: (document: RunDocument) => boolean): Set<string> {
    const meant = this.#documents.entries().filter(([, document]) => isMeant(document))
    return new Set(meant.map(([recordId]) => recordId))
  }

  countGone(): void {
    for (const document of this.#documents.values())
      if (document.state === 'gone') this.tally.count(document.outcome)
  }

  #end({ scope, listing, task }: RunDocument & Unfinished, outcome: FinalOutcome): void {
    const { recordId, state } = outcome
    const isGone = state === 'skipped' && outcome.error.code === DOCUMENT_GONE
    this.#documents.set(recordId, { scope, listing, ...(isGone ? { state: 'gone', outcome } : { state }) })
    if (isGone) return
    this.tally.count(outcome)
    if (state !== 'failed') return
    const { title, url } = task.ref
    this.#onFailed({ record_id: recordId, title, url, ...outcome.error })
  }
}

function isUnfinished(document: RunDocument): document is RunDocument & Unfinished {
  return 'task' in document
}

function isDeferred(document: RunDocument): document is RunDocument & Unfinished {
  return document.state === 'deferred' || document.state === 'uncertain'
}
