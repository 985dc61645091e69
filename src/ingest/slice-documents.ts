import type { Rejection } from '../connectors/destination.ts'
import type { DocumentRef, Element, SourceDocument } from '../document.ts'
import { type DocumentStage, stepOf, type WorkStage } from '../document-stage.ts'
import { AppError, explain } from '../errors.ts'
import { incompleteSettings } from '../ledger-entry.ts'
import { MAX_VECTOR_NUMBERS } from '../pipeline/limits.ts'
import type { PartitionResult } from '../pipeline/partition-result.ts'
import { READABLE_TYPES_HASH } from '../pipeline/pipeline.ts'
import { refusedWrites } from '../process-metrics.ts'
import { dataSource } from './data-source.ts'
import { embedEach } from './embed-each.ts'
import { entryOf, FencedWrites, type OpenedWrite } from './fenced-writes.ts'
import { isExpired, permissionsExpiry } from './relist-limits.ts'
import type { DocumentTask, SliceContext } from './slice-context.ts'
import { inSliceOrder } from './slice-order.ts'
import { split } from './split.ts'

/** Characters that may wait to be embedded and written: 300,000 saves 20 MB and takes a third longer. */
const FLUSH_CHARACTERS = 4_000_000

type ProcessedDocument = { task: DocumentTask; document: Omit<SourceDocument, 'body'>; elements: Element[] }
/** A document that cannot be indexed until it changes, such as an unsupported file. */
type SkippedDocument = { ref: DocumentRef; error: AppError }

let slices = 0

/** The documents of a slice on their way into the index. */
export class SliceDocuments {
  readonly #number = slices++
  readonly #context: SliceContext
  readonly #signal: AbortSignal
  readonly #writes: FencedWrites
  #ready: ProcessedDocument[] = []
  #skipped: SkippedDocument[] = []
  #characters = 0
  /** In the vectors of the documents that are ready. */
  #numbers = 0

  constructor(context: SliceContext, signal: AbortSignal) {
    this.#context = context
    this.#signal = signal
    this.#writes = new FencedWrites(context, signal)
  }

  /** Writes permissions only. Returns the tasks that the index rejected, to read and write them in full. */
  async updateAccess(tasks: DocumentTask[]): Promise<DocumentTask[]> {
    if (tasks.length === 0) return []
    const refs = tasks.map(({ ref }) => ref)
    await this.#writes.waitForPermissionWrites(refs)
    const { entries, settled, taken } = await this.#writes.writePermissions(refs)
    for (const recordId of await this.#writes.writtenByOthers(refs.filter((ref) => taken.has(ref.recordId))))
      settled.add(recordId)
    const isWritten = ({ ref: { recordId } }: DocumentTask) => settled.has(recordId)
    await this.#context.report(
      tasks.filter(isWritten).map(({ ref: { recordId } }) => ({
        recordId,
        state: 'permissions_only',
        elements: entries.get(recordId)?.elementIds.length ?? 0,
      })),
    )
    const rejected = tasks.filter((task) => !isWritten(task))
    this.#reach(rejected, 'read')
    return rejected.map((task) => ({ ...task, kind: 'changed' }))
  }

  /** The permissions of a document that is newer than its listing may be newer too. Returns tasks to read again. */
  async relist(tasks: DocumentTask[], mayRelist: boolean): Promise<DocumentTask[]> {
    const { relist } = this.#context
    if (tasks.length === 0) return []
    const current = relist && mayRelist ? await relist(tasks.map(({ ref }) => ref)) : new Map()
    await this.listAgain(tasks.filter(({ ref }) => !current.has(ref.recordId)))
    return tasks.flatMap((task) => {
      const ref = current.get(task.ref.recordId)
      if (!ref) return []
      return { ...task, ref, ...(task.expiresAt ? { expiresAt: permissionsExpiry(new Date()) } : {}) }
    })
  }

  async listAgain(tasks: DocumentTask[]): Promise<void> {
    if (tasks.length === 0) return
    await this.#context.report(tasks.map(({ ref }) => ({ recordId: ref.recordId, state: 'relist' })))
  }

  async process(task: DocumentTask, document: SourceDocument): Promise<void> {
    await inSliceOrder(this.#number)
    let startedAt = performance.now()
    let result: PartitionResult
    let stage: WorkStage = 'partition'
    const measure = () => {
      const now = performance.now()
      this.#context.measure?.(stepOf(stage), now - startedAt)
      startedAt = now
    }
    try {
      result = await this.#context.runner.work(document, this.#signal, (reached) => {
        if (reached !== stage) measure()
        stage = reached
        this.#reach([task], reached)
      })
    } catch (error) {
      this.#signal.throwIfAborted()
      await this.fail(task, { error, stage })
      return
    }
    this.#reach([task], 'embed')
    measure()
    // Without the body, which may be a large file.
    const { body: _, warnings = [], ...read } = document
    const { elements, incomplete } = result
    const metadata = { ...read, ...(incomplete ? { incomplete } : {}) }
    const allWarnings = [...warnings, ...result.warnings]
    const numbers = elements.length * (this.#context.runner.embedder?.dims ?? 0)
    if (this.#numbers + numbers > MAX_VECTOR_NUMBERS) await this.flush()
    this.#numbers += numbers
    this.#ready.push({
      task,
      document: allWarnings.length > 0 ? { ...metadata, warnings: allWarnings } : metadata,
      elements,
    })
    for (const { text, metadata } of elements)
      this.#characters +=
        text.length + (metadata.text_as_html?.length ?? 0) + (metadata.image_base64?.length ?? 0)
    if (this.#characters >= FLUSH_CHARACTERS) await this.flush()
  }

  async flush(): Promise<void> {
    await this.#skip()
    await this.#write()
  }

  /** Writes new elements, removes old ones, then settles the ledger. */
  async #write(): Promise<void> {
    const processed = await this.#embedReady()
    if (processed.length === 0) return
    const startedAt = performance.now()
    this.#reach(
      processed.map(({ task }) => task),
      'write',
    )
    const opened = await this.#writes.intend(
      processed.map(({ task: { ref }, elements }) => ({ ref, elementIds: idsOf(elements) })),
    )
    const { refs } = opened
    // A listing has moved the wanted version meanwhile.
    const [ready, outdated] = split(
      processed,
      ({ task: { ref } }) => refs.get(ref.recordId)?.version === ref.version,
    )
    await this.listAgain(outdated.map(({ task }) => task))

    const refused = await this.#writeElements(ready, opened)
    const written = ready.filter(({ task }) => !refused.has(task.ref.recordId))
    await this.#removeStale(written, opened)
    const kept = await this.#settle(written, opened)
    await this.#context.report(
      kept.map(({ task, document: { warnings = [] }, elements }) => ({
        recordId: task.ref.recordId,
        state: task.kind,
        elements: elements.length,
        ...(warnings.length > 0 ? { warnings } : {}),
      })),
    )
    this.#context.measure?.('write', performance.now() - startedAt)
    for (const { task } of ready) {
      const rejection = refused.get(task.ref.recordId)
      if (rejection) await this.fail(task, { error: rejection.error, stage: 'write' })
    }
  }

  /** Takes the documents that are ready; those whose permissions are too old are listed again. */
  async #embedReady(): Promise<ProcessedDocument[]> {
    const all = this.#ready
    this.#ready = []
    this.#characters = 0
    this.#numbers = 0
    // Reading may have taken so long that the permissions are too old.
    const current = await this.#withoutExpired(all)
    const startedAt = performance.now()
    const { embedder } = this.#context.runner
    const fail = ({ task }: ProcessedDocument, error: unknown) => this.fail(task, { error, stage: 'embed' })
    const embedded = embedder ? await embedEach(current, { embedder, fail }, this.#signal) : current
    this.#context.measure?.('embed', performance.now() - startedAt)
    // Embedding may have taken too long as well.
    return this.#withoutExpired(embedded)
  }

  async #withoutExpired(documents: ProcessedDocument[]): Promise<ProcessedDocument[]> {
    const [expired, current] = split(documents, ({ task }) => isExpired(task))
    await this.listAgain(expired.map(({ task }) => task))
    return current
  }

  /** Returns what the index rejected. */
  async #writeElements(
    documents: ProcessedDocument[],
    { ledger, refs }: OpenedWrite,
  ): Promise<Map<string, Rejection>> {
    const now = new Date()
    const rejections = await this.#context.destination.write(
      documents.flatMap(({ task: { ref }, document, elements }) => {
        const metadata = dataSource(refs.get(ref.recordId) ?? ref, document.version, now)
        return elements.map((element) => ({ recordId: ref.recordId, element, dataSource: metadata }))
      }),
      ledger.fence,
      this.#signal,
    )
    refusedWrites.add({ reason: 'rejected' }, rejections.length)
    return rejectionsByRecord(rejections)
  }

  async #removeStale(written: ProcessedDocument[], { ledger, entries }: OpenedWrite): Promise<void> {
    await this.#context.destination.remove(
      written.flatMap(({ task: { ref }, elements }) => {
        const current = new Set(idsOf(elements))
        const stale = (entries.get(ref.recordId)?.elementIds ?? []).filter((id) => !current.has(id))
        return stale.length > 0 ? [{ recordId: ref.recordId, elementIds: stale }] : []
      }),
      ledger.fence,
      this.#signal,
    )
  }

  /** Returns the documents that this task still has. */
  async #settle(written: ProcessedDocument[], { ledger, refs }: OpenedWrite): Promise<ProcessedDocument[]> {
    const { destination, settingsHash } = this.#context
    const lost = new Set(
      await ledger.settle(
        written.map(({ task: { ref }, document: { version, incomplete }, elements }) => {
          const hash = incomplete ? incompleteSettings(settingsHash) : settingsHash
          return entryOf(refs.get(ref.recordId) ?? ref, version, hash, idsOf(elements))
        }),
      ),
    )
    // Another task has these documents: elements that only this write added would stay without an entry.
    const [taken, kept] = split(written, ({ task }) => lost.has(task.ref.recordId))
    await destination.remove(
      taken.map(({ task, elements }) => ({ recordId: task.ref.recordId, elementIds: idsOf(elements) })),
      ledger.fence,
      this.#signal,
    )
    await this.listAgain(taken.map(({ task }) => task))
    return kept
  }

  /** Fails one document. Its text stays with the wanted permissions; a document that is gone is hidden. */
  async fail(task: DocumentTask, { error, stage }: { error: unknown; stage: DocumentStage }): Promise<void> {
    if (this.#signal.aborted) throw this.#signal.reason
    if (error instanceof AppError && error.endsJob) throw error
    const { ref } = task
    const skips = error instanceof AppError ? error.skips : undefined
    if (error instanceof AppError && skips === 'until_changed') {
      this.#skipped.push({ ref, error })
      return
    }
    if (isExpired(task)) return this.listAgain([task])
    // Hidden, not removed: without access to a scope, the source may return 404 for all its documents.
    if (skips === 'gone') await this.#writes.hide(ref)
    else await this.#writes.writePermissions([ref])
    const state = skips ? 'skipped' : 'failed'
    await this.#context.report([{ recordId: ref.recordId, state, stage, error: explain(error) }])
  }

  #reach(tasks: DocumentTask[], stage: DocumentStage): void {
    this.#context.reach?.(
      tasks.map(({ ref }) => ref.recordId),
      stage,
    )
  }

  /** Removes elements of earlier versions and records in the ledger why the document is skipped. */
  async #skip(): Promise<void> {
    const skipped = this.#skipped
    this.#skipped = []
    if (skipped.length === 0) return
    const { destination, settingsHash, report } = this.#context
    const { ledger, entries, refs } = await this.#writes.intend(
      skipped.map(({ ref }) => ({ ref, elementIds: [] })),
      (entry) => entry.elementIds.length > 0,
    )
    const stale = [...entries.values()].filter(({ elementIds }) => elementIds.length > 0)
    if (stale.length > 0) await destination.remove(stale, ledger.fence, this.#signal)
    await ledger.settle(
      skipped.map(({ ref, error }) => ({
        ...entryOf(refs.get(ref.recordId) ?? ref, ref.version, settingsHash, []),
        skipped: { ...explain(error), readable: READABLE_TYPES_HASH },
      })),
    )
    await report(
      skipped.map(({ ref, error }) => ({ recordId: ref.recordId, state: 'skipped', error: explain(error) })),
    )
  }
}

function idsOf(elements: Element[]): string[] {
  return elements.map((element) => element.element_id)
}

function rejectionsByRecord(rejections: Rejection[]): Map<string, Rejection> {
  return new Map(rejections.map((rejection) => [rejection.recordId, rejection]))
}
