import type { Rejection } from '../connectors/connector.ts'
import type { DocumentRef, Element, SourceDocument } from '../document.ts'
import { AppError, explain } from '../errors.ts'
import { type Entry, incompleteSettings } from '../ledger-entry.ts'
import type { PartitionResult } from '../pipeline/partition-result.ts'
import { READABLE } from '../pipeline/pipeline.ts'
import { dataSource, stateHash } from './data-source.ts'
import { revokeAccess } from './revoke-access.ts'
import type { DocumentTask, SliceContext } from './slice-context.ts'

/** Characters that may wait to be embedded; limits the memory of a slice. */
const FLUSH_CHARACTERS = 4_000_000

/**
 * Processes a slice. Reports one outcome per document; throws errors that affect all of them. Safe to retry.
 */
export async function workSlice(
  tasks: DocumentTask[],
  context: SliceContext,
  signal: AbortSignal,
): Promise<void> {
  const known = await context.ledger.find(tasks.map((task) => task.ref.recordId))
  const slice = new Slice(context, known, signal)

  const again = await slice.updateAccess(tasks.filter((task) => task.kind === 'permissions_only'))
  const whole = [...tasks.filter((task) => task.kind !== 'permissions_only'), ...again]
  const byRecord = new Map(whole.map((task) => [task.ref.recordId, task]))

  if (whole.length > 0) {
    const refs = whole.map((task) => task.ref)
    let readStarted = performance.now()
    for await (const outcome of context.source.read(refs, context.runner.reads, signal)) {
      context.measure?.('read', performance.now() - readStarted)
      const task = byRecord.get(outcome.ref.recordId)
      if (!task || !byRecord.delete(outcome.ref.recordId)) continue
      if ('error' in outcome) await slice.fail(task, outcome.error)
      else if ('document' in outcome && outcome.document.version === task.ref.version)
        await slice.take(task, outcome.document)
      else await slice.again([task])
      readStarted = performance.now()
    }
  }
  await slice.flush()
  for (const task of byRecord.values()) {
    await slice.fail(
      task,
      new AppError('source_failed', `the source returned nothing for "${task.ref.title}"`),
    )
  }
}

/** Ends documents that changed too often or whose slice failed. They keep listed permissions, or are hidden. */
export async function giveUpSlice(
  tasks: DocumentTask[],
  { context, error }: { context: SliceContext; error: { code: string; message: string } },
  signal: AbortSignal,
): Promise<void> {
  const known = await context.ledger.find(tasks.map((task) => task.ref.recordId))
  const slice = new Slice(context, known, signal)
  for (const task of tasks) {
    signal.throwIfAborted()
    if (isLate(task)) await slice.hide(task.ref)
    else await slice.carry(task.ref)
    await context.report([{ recordId: task.ref.recordId, state: 'failed', error }])
  }
}

type Ready = { task: DocumentTask; document: Omit<SourceDocument, 'body'>; elements: Element[] }
/** A document that cannot be indexed until it changes, such as an unsupported file. */
type Skipped = { ref: DocumentRef; error: AppError }

class Slice {
  readonly #context: SliceContext
  readonly #known: Map<string, Entry>
  readonly #signal: AbortSignal
  #ready: Ready[] = []
  #skipped: Skipped[] = []
  #characters = 0

  constructor(context: SliceContext, known: Map<string, Entry>, signal: AbortSignal) {
    this.#context = context
    this.#known = known
    this.#signal = signal
  }

  /** Writes permissions only. Returns the tasks whose elements are missing. */
  async updateAccess(tasks: DocumentTask[]): Promise<DocumentTask[]> {
    const { destination, ledger, settingsHash, beforeWrite, report } = this.#context
    if (tasks.length === 0) return []
    await beforeWrite()
    const now = new Date()
    const items = tasks.map(({ ref }) => ({
      recordId: ref.recordId,
      elementIds: this.#known.get(ref.recordId)?.elementIds ?? [],
      dataSource: dataSource(ref, ref.version, now),
    }))
    await this.#intend(tasks.map(({ ref }) => ({ ref, elementIds: [] })))
    const refused = byRecord(await destination.updateAccess(items, ledger.fence, this.#signal))
    const done = tasks.filter(({ ref }) => !refused.has(ref.recordId))
    await ledger.settle(
      done.map(({ ref }) => ({
        ...entryOf(ref, ref.version, settingsHash, this.#known.get(ref.recordId)?.elementIds ?? []),
        ...ownTextOf(this.#known.get(ref.recordId)),
      })),
    )
    await report(
      done.map(({ ref }) => ({
        recordId: ref.recordId,
        state: 'permissions_only',
        elements: this.#known.get(ref.recordId)?.elementIds.length ?? 0,
      })),
    )
    return tasks.filter(({ ref }) => refused.has(ref.recordId)).map((task) => ({ ...task, kind: 'changed' }))
  }

  async again(tasks: DocumentTask[]): Promise<void> {
    await this.#context.report(tasks.map(({ ref }) => ({ recordId: ref.recordId, state: 'again' })))
  }

  async take(task: DocumentTask, document: SourceDocument): Promise<void> {
    const began = performance.now()
    let worked: PartitionResult
    try {
      worked = await this.#context.runner.work(document, this.#signal)
    } catch (error) {
      this.#signal.throwIfAborted()
      await this.fail(task, error)
      return
    }
    this.#context.measure?.('work', performance.now() - began)
    // Without the body, which may be a large file.
    const { body: _, warnings = [], ...read } = document
    const { elements, incomplete } = worked
    const about = { ...read, ...(incomplete ? { incomplete } : {}) }
    const allWarnings = [...warnings, ...worked.warnings]
    this.#ready.push({
      task,
      document: allWarnings.length > 0 ? { ...about, warnings: allWarnings } : about,
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
    const all = this.#ready
    this.#ready = []
    this.#characters = 0
    // Reading may have taken so long that the permissions are too old.
    await this.again(all.filter(({ task }) => isLate(task)).map(({ task }) => task))
    const began = performance.now()
    const embedded = await this.#embedded(all.filter(({ task }) => !isLate(task)))
    const embeddedAt = performance.now()
    this.#context.measure?.('embed', embeddedAt - began)
    // Embedding may have taken as long.
    await this.again(embedded.filter(({ task }) => isLate(task)).map(({ task }) => task))
    const ready = embedded.filter(({ task }) => !isLate(task))
    if (ready.length === 0) return
    const { destination, ledger, settingsHash, beforeWrite, report } = this.#context
    await beforeWrite()
    await this.#intend(
      ready.map(({ task: { ref }, elements }) => ({
        ref,
        elementIds: elements.map((element) => element.element_id),
      })),
    )

    const now = new Date()
    const refused = byRecord(
      await destination.write(
        ready.flatMap(({ task: { ref }, document: { version }, elements }) => {
          const about = dataSource(ref, version, now)
          return elements.map((element) => ({ recordId: ref.recordId, element, dataSource: about }))
        }),
        ledger.fence,
        this.#signal,
      ),
    )
    const written = ready.filter(({ task }) => !refused.has(task.ref.recordId))
    await destination.remove(
      written.flatMap(({ task: { ref }, elements }) => {
        const current = new Set(elements.map((element) => element.element_id))
        const stale = (this.#known.get(ref.recordId)?.elementIds ?? []).filter((id) => !current.has(id))
        return stale.length > 0 ? [{ recordId: ref.recordId, elementIds: stale }] : []
      }),
      ledger.fence,
      this.#signal,
    )
    await ledger.settle(
      written.map(({ task: { ref }, document: { version, incomplete }, elements }) => ({
        ...entryOf(
          ref,
          version,
          incomplete ? incompleteSettings(settingsHash) : settingsHash,
          elements.map((element) => element.element_id),
        ),
        ownText: true,
      })),
    )
    await report(
      written.map(({ task, document: { warnings = [] }, elements }) => ({
        recordId: task.ref.recordId,
        state: task.kind,
        elements: elements.length,
        ...(warnings.length > 0 ? { warnings } : {}),
      })),
    )
    this.#context.measure?.('write', performance.now() - embeddedAt)
    for (const { task } of ready) {
      const rejection = refused.get(task.ref.recordId)
      if (rejection) await this.fail(task, rejection.error)
    }
  }

  /** Fails one document. Its text stays with the listed permissions; a document that is gone is hidden. */
  async fail(task: DocumentTask, error: unknown): Promise<void> {
    if (this.#signal.aborted) throw this.#signal.reason
    if (error instanceof AppError && error.endsJob) throw error
    const { ref } = task
    const skips = error instanceof AppError ? error.skips : undefined
    if (error instanceof AppError && skips === 'as_it_is') {
      this.#skipped.push({ ref, error })
      return
    }
    if (isLate(task)) return this.again([task])
    // Hidden, not removed: without access to a scope, the source may return 404 for all its documents.
    if (skips === 'gone') await this.hide(ref)
    else await this.carry(ref)
    const state = skips ? 'skipped' : 'failed'
    await this.#context.report([{ recordId: ref.recordId, state, error: explain(error) }])
  }

  /**
   * Writes the listed permissions to text that stays. Hides the document if its text may come from another page, or if
   * the index rejects the write.
   */
  async carry(ref: DocumentRef): Promise<void> {
    const { destination, ledger, beforeWrite } = this.#context
    const before = this.#known.get(ref.recordId)
    if (!before || before.elementIds.length === 0) return
    if (!before.ownText) return this.hide(ref)
    if (before.settled && before.stateHash === stateHash(ref)) return
    await beforeWrite()
    await this.#intend([{ ref, elementIds: [] }])
    const about = dataSource(ref, before.version, new Date())
    const write = (elementIds: string[]) =>
      destination.updateAccess(
        [{ recordId: ref.recordId, elementIds, dataSource: about }],
        ledger.fence,
        this.#signal,
      )
    if ((await write(before.elementIds)).length === 0) {
      if (before.settled) await ledger.settle([{ ...before, stateHash: stateHash(ref) }])
      return
    }
    // Tries again with the elements that the index holds.
    const held = await destination.inspect?.held([before], this.#signal)
    const refused = held?.length ? await write(held.map(({ elementId }) => elementId)) : []
    // Without `inspect`, hides all elements.
    if (!held || refused.length > 0)
      await revokeAccess([{ ...before, settled: false }], this.#context, this.#signal)
  }

  async hide({ recordId }: DocumentRef): Promise<void> {
    const { beforeWrite, ...into } = this.#context
    const before = this.#known.get(recordId)
    if (!before) return
    await beforeWrite()
    await revokeAccess([before], into, this.#signal)
  }

  /** Removes elements of earlier versions and records in the ledger why the document is skipped. */
  async #skip(): Promise<void> {
    const skipped = this.#skipped
    this.#skipped = []
    if (skipped.length === 0) return
    const { destination, ledger, settingsHash, beforeWrite, report } = this.#context
    await beforeWrite()
    const left = skipped.filter(({ ref }) => (this.#known.get(ref.recordId)?.elementIds ?? []).length > 0)
    if (left.length > 0) {
      await this.#intend(left.map(({ ref }) => ({ ref, elementIds: [] })))
      const stale = left.flatMap(({ ref }) => this.#known.get(ref.recordId) ?? [])
      await destination.remove(stale, ledger.fence, this.#signal)
    }
    await ledger.settle(
      skipped.map(({ ref, error }) => ({
        ...entryOf(ref, ref.version, settingsHash, []),
        skipped: { ...explain(error), readable: READABLE },
      })),
    )
    await report(
      skipped.map(({ ref, error }) => ({ recordId: ref.recordId, state: 'skipped', error: explain(error) })),
    )
  }

  /** Records in the ledger, before a write, which elements the index may hold after it. */
  async #intend(documents: { ref: DocumentRef; elementIds: string[] }[]): Promise<void> {
    const intended = documents.map(({ ref, elementIds }): Entry => {
      const before = this.#known.get(ref.recordId)
      const ids = new Set([...(before?.elementIds ?? []), ...elementIds])
      const entry = entryOf(ref, before?.version ?? '', before?.settingsHash ?? '', [...ids])
      return { ...entry, ...ownTextOf(before), settled: false }
    })
    await this.#context.ledger.intend(intended)
    for (const entry of intended) this.#known.set(entry.recordId, entry)
  }

  /** All at once, then one by one: a rejected text fails its document alone. */
  async #embedded(ready: Ready[]): Promise<Ready[]> {
    try {
      await this.#embed(ready.flatMap(({ elements }) => elements))
      return ready
    } catch (error) {
      this.#signal.throwIfAborted()
      if (ready.length === 1 && ready[0]) await this.fail(ready[0].task, error)
      if (ready.length <= 1) return []
    }
    const embedded: Ready[] = []
    for (const each of ready) embedded.push(...(await this.#embedded([each])))
    return embedded
  }

  async #embed(elements: Element[]): Promise<void> {
    const { embedder } = this.#context.runner
    if (!embedder) return
    const withText = elements.filter((element) => element.text.trim() !== '')
    const vectors = await embedder.embed(
      withText.map((element) => element.text),
      this.#signal,
    )
    // Vectors take up to hundreds of megabytes, so arrays are not copied.
    for (const [index, element] of withText.entries()) {
      const vector = vectors[index] ?? []
      element.embeddings = Array.isArray(vector) ? vector : Array.from(vector)
    }
  }
}

function entryOf(ref: DocumentRef, version: string, settingsHash: string, elementIds: string[]): Entry {
  return {
    recordId: ref.recordId,
    scope: ref.scope,
    position: ref.position,
    locator: ref.locator,
    version,
    stateHash: stateHash(ref),
    settingsHash,
    elementIds,
    settled: true,
  }
}

/** New text is the document's own; older text may not be. */
function ownTextOf(before: Entry | undefined): { ownText?: true } {
  const isOwn = !before || before.elementIds.length === 0 || before.ownText
  return isOwn ? { ownText: true } : {}
}

function isLate({ until }: DocumentTask): boolean {
  return until !== undefined && Date.now() > until.getTime()
}

function byRecord(rejections: Rejection[]): Map<string, Rejection> {
  return new Map(rejections.map((rejection) => [rejection.recordId, rejection]))
}
