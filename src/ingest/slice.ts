import type { Rejection } from '../connectors/connector.ts'
import type { DocumentRef, Element, SourceDocument } from '../document.ts'
import { AppError, explain } from '../errors.ts'
import { type Entry, incompleteSettings } from '../ledger-entry.ts'
import type { PartitionResult } from '../pipeline/partition-result.ts'
import { READABLE } from '../pipeline/pipeline.ts'
import { dataSource, stateHash } from './data-source.ts'
import { revokeAccess } from './revoke-access.ts'
import type { DocumentTask, SliceContext } from './slice-context.ts'

/** Bytes of text that wait to be embedded; bounds the memory of a slice. */
const FLUSH_CHARACTERS = 4_000_000

/**
 * Processes a slice. Every document ends in one reported outcome; an error that concerns all is thrown. Safe to repeat.
 */
export async function workSlice(
  tasks: DocumentTask[],
  works: SliceContext,
  signal: AbortSignal,
): Promise<void> {
  const known = await works.ledger.find(tasks.map((task) => task.ref.recordId))
  const slice = new Slice(works, known, signal)

  const again = await slice.updateAccess(tasks.filter((task) => task.kind === 'permissions_only'))
  const whole = [...tasks.filter((task) => task.kind !== 'permissions_only'), ...again]
  const byRecord = new Map(whole.map((task) => [task.ref.recordId, task]))

  if (whole.length > 0) {
    const refs = whole.map((task) => task.ref)
    let asked = performance.now()
    for await (const outcome of works.source.read(refs, works.runner.reads, signal)) {
      works.measure?.('read', performance.now() - asked)
      const task = byRecord.get(outcome.ref.recordId)
      if (!task || !byRecord.delete(outcome.ref.recordId)) continue
      if ('error' in outcome) await slice.fail(task, outcome.error)
      else if ('document' in outcome && outcome.document.version === task.ref.version)
        await slice.take(task, outcome.document)
      else await slice.again([task])
      asked = performance.now()
    }
  }
  await slice.flush()
  for (const task of byRecord.values()) {
    await slice.fail(task, new AppError('source_failed', `the source did not answer for "${task.ref.title}"`))
  }
}

/** Ends documents that changed too often or whose slice failed. They keep listed permissions, or are hidden. */
export async function giveUpSlice(
  tasks: DocumentTask[],
  { works, error }: { works: SliceContext; error: { code: string; message: string } },
  signal: AbortSignal,
): Promise<void> {
  const known = await works.ledger.find(tasks.map((task) => task.ref.recordId))
  const slice = new Slice(works, known, signal)
  for (const task of tasks) {
    signal.throwIfAborted()
    if (isLate(task)) await slice.hide(task.ref)
    else await slice.carry(task.ref)
    await works.report([{ recordId: task.ref.recordId, state: 'failed', error }])
  }
}

type Ready = { task: DocumentTask; document: Omit<SourceDocument, 'body'>; elements: Element[] }
/** What is left out for what it is. */
type Useless = { ref: DocumentRef; error: AppError }

class Slice {
  readonly #works: SliceContext
  readonly #known: Map<string, Entry>
  readonly #signal: AbortSignal
  #ready: Ready[] = []
  #useless: Useless[] = []
  #characters = 0

  constructor(works: SliceContext, known: Map<string, Entry>, signal: AbortSignal) {
    this.#works = works
    this.#known = known
    this.#signal = signal
  }

  /** Writes permissions alone. Answers with tasks whose elements are missing. */
  async updateAccess(tasks: DocumentTask[]): Promise<DocumentTask[]> {
    const { destination, ledger, settingsHash, beforeWrite, report } = this.#works
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
    await this.#works.report(tasks.map(({ ref }) => ({ recordId: ref.recordId, state: 'again' })))
  }

  async take(task: DocumentTask, document: SourceDocument): Promise<void> {
    const began = performance.now()
    let worked: PartitionResult
    try {
      worked = await this.#works.runner.work(document, this.#signal)
    } catch (error) {
      this.#signal.throwIfAborted()
      await this.fail(task, error)
      return
    }
    this.#works.measure?.('work', performance.now() - began)
    // Without the body, which may be a large file.
    const { body: _, warnings = [], ...read } = document
    const { elements, incomplete } = worked
    const about = { ...read, ...(incomplete ? { incomplete } : {}) }
    const said = [...warnings, ...worked.warnings]
    this.#ready.push({ task, document: said.length > 0 ? { ...about, warnings: said } : about, elements })
    for (const { text, metadata } of elements)
      this.#characters +=
        text.length + (metadata.text_as_html?.length ?? 0) + (metadata.image_base64?.length ?? 0)
    if (this.#characters >= FLUSH_CHARACTERS) await this.flush()
  }

  async flush(): Promise<void> {
    await this.#leaveOut()
    await this.#write()
  }

  /** Writes new elements, removes old ones, then settles the ledger. */
  async #write(): Promise<void> {
    const all = this.#ready
    this.#ready = []
    this.#characters = 0
    // A source may have kept us waiting for an hour.
    await this.again(all.filter(({ task }) => isLate(task)).map(({ task }) => task))
    const began = performance.now()
    const embedded = await this.#embedded(all.filter(({ task }) => !isLate(task)))
    const made = performance.now()
    this.#works.measure?.('embed', made - began)
    // And so may an embedder.
    await this.again(embedded.filter(({ task }) => isLate(task)).map(({ task }) => task))
    const ready = embedded.filter(({ task }) => !isLate(task))
    if (ready.length === 0) return
    const { destination, ledger, settingsHash, beforeWrite, report } = this.#works
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
    this.#works.measure?.('write', performance.now() - made)
    for (const { task } of ready) {
      const rejection = refused.get(task.ref.recordId)
      if (rejection) await this.fail(task, rejection.error)
    }
  }

  /** Fails one document. Its text stays with the permissions of now; a gone one is hidden. */
  async fail(task: DocumentTask, error: unknown): Promise<void> {
    if (this.#signal.aborted) throw this.#signal.reason
    if (error instanceof AppError && error.endsJob) throw error
    const { ref } = task
    const skips = error instanceof AppError ? error.skips : undefined
    if (error instanceof AppError && skips === 'as_it_is') {
      this.#useless.push({ ref, error })
      return
    }
    if (isLate(task)) return this.again([task])
    // A lost scope may answer 404 for all: removal is planned later.
    if (skips === 'gone') await this.hide(ref)
    else await this.carry(ref)
    const state = skips ? 'skipped' : 'failed'
    await this.#works.report([{ recordId: ref.recordId, state, error: explain(error) }])
  }

  /**
   * Writes listed permissions on text that stays. Hides it where the text may be another page's, or the index refuses.
   */
  async carry(ref: DocumentRef): Promise<void> {
    const { destination, ledger, beforeWrite } = this.#works
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
    // Elements that are not there have no permissions to keep.
    const held = await destination.inspect?.held([before], this.#signal)
    const refused = held?.length ? await write(held.map(({ elementId }) => elementId)) : []
    // Without inspect all of them are hidden.
    if (!held || refused.length > 0)
      await revokeAccess([{ ...before, settled: false }], this.#works, this.#signal)
  }

  async hide({ recordId }: DocumentRef): Promise<void> {
    const { beforeWrite, ...into } = this.#works
    const before = this.#known.get(recordId)
    if (!before) return
    await beforeWrite()
    await revokeAccess([before], into, this.#signal)
  }

  /** Removes elements of earlier versions and notes why there are none. */
  async #leaveOut(): Promise<void> {
    const useless = this.#useless
    this.#useless = []
    if (useless.length === 0) return
    const { destination, ledger, settingsHash, beforeWrite, report } = this.#works
    await beforeWrite()
    const left = useless.filter(({ ref }) => (this.#known.get(ref.recordId)?.elementIds ?? []).length > 0)
    if (left.length > 0) {
      await this.#intend(left.map(({ ref }) => ({ ref, elementIds: [] })))
      const stale = left.flatMap(({ ref }) => this.#known.get(ref.recordId) ?? [])
      await destination.remove(stale, ledger.fence, this.#signal)
    }
    await ledger.settle(
      useless.map(({ ref, error }) => ({
        ...entryOf(ref, ref.version, settingsHash, []),
        skipped: { ...explain(error), readable: READABLE },
      })),
    )
    await report(
      useless.map(({ ref, error }) => ({ recordId: ref.recordId, state: 'skipped', error: explain(error) })),
    )
  }

  /** Notes before a write what the index may hold from now on. */
  async #intend(documents: { ref: DocumentRef; elementIds: string[] }[]): Promise<void> {
    const intended = documents.map(({ ref, elementIds }): Entry => {
      const before = this.#known.get(ref.recordId)
      const ids = new Set([...(before?.elementIds ?? []), ...elementIds])
      const entry = entryOf(ref, before?.version ?? '', before?.settingsHash ?? '', [...ids])
      return { ...entry, ...ownTextOf(before), settled: false }
    })
    await this.#works.ledger.intend(intended)
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
    const { embedder } = this.#works.runner
    if (!embedder) return
    const withText = elements.filter((element) => element.text.trim() !== '')
    const vectors = await embedder.embed(
      withText.map((element) => element.text),
      this.#signal,
    )
    // Up to hundreds of megabytes: no second copy of numbers.
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
