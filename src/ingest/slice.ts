import { setTimeout as sleep } from 'node:timers/promises'
import type { Rejection } from '../connectors/destination.ts'
import type { DocumentRef, Element, SourceDocument } from '../document.ts'
import type { DocumentStage, WorkStage } from '../document-stage.ts'
import { AppError, explain } from '../errors.ts'
import { type Entry, incompleteSettings } from '../ledger-entry.ts'
import { embedInBatches } from '../pipeline/embed/embed-elements.ts'
import { MAX_VECTOR_NUMBERS } from '../pipeline/limits.ts'
import type { PartitionResult } from '../pipeline/partition-result.ts'
import { READABLE_TYPES_HASH } from '../pipeline/pipeline.ts'
import { refusedWrites } from '../process-metrics.ts'
import { dataSource, stateOf } from './data-source.ts'
import type { Ledger } from './ledger.ts'
import { readUntil } from './read-until.ts'
import { permissionsExpiry } from './relist-limits.ts'
import { hideDocuments } from './removal.ts'
import { intended, revokeAccess } from './revoke-access.ts'
import type { DocumentTask, SliceContext } from './slice-context.ts'
import { inSliceOrder } from './slice-order.ts'
import { split } from './split.ts'
import { writePermissions } from './write-permissions.ts'

/** Characters that may wait to be embedded and written: 300,000 saves 20 MB and takes a third longer. */
const FLUSH_CHARACTERS = 4_000_000

/** How often a document that changes meanwhile is read again. */
const MAX_READS = 3

/**
 * Processes a slice. Reports one outcome per document; throws errors that affect all of them. Safe to retry. Returns the
 * documents for which the time did not suffice.
 */
export async function processSlice(
  tasks: DocumentTask[],
  context: SliceContext,
  signal: AbortSignal,
): Promise<DocumentTask[]> {
  const slice = new Slice(context, signal)
  const rejected = await slice.updateAccess(tasks.filter((task) => task.kind === 'permissions_only'))
  const withText = [...tasks.filter((task) => task.kind !== 'permissions_only'), ...rejected]
  // A long listing uses permissions of its beginning.
  const [newer, listed] = split(withText, (task) => context.relist !== null && isNewerThanListing(task))
  let toRead = [...listed, ...(await slice.relist(newer, true))]
  for (let reads = 1; toRead.length > 0; reads++) {
    const { changed, unread } = await readAll(toRead, slice, { context, signal })
    if (unread.length > 0) return [...changed, ...unread]
    toRead = await slice.relist(changed, reads < MAX_READS)
  }
  return []
}

/** Returns the documents that are newer than their listing, and those that the source did not return in time. */
async function readAll(
  tasks: DocumentTask[],
  slice: Slice,
  { context, signal }: { context: SliceContext; signal: AbortSignal },
): Promise<{ changed: DocumentTask[]; unread: DocumentTask[] }> {
  const byRecord = new Map(tasks.map((task) => [task.ref.recordId, task]))
  const changed: DocumentTask[] = []
  const refs = tasks.map((task) => task.ref)
  const reading = readUntil(
    context.endsAt ?? Number.POSITIVE_INFINITY,
    (reads) => context.source.read(refs, context.runner.reads, reads),
    signal,
  )
  let readStarted = performance.now()
  for await (const outcome of reading.outcomes) {
    context.measure?.('read', performance.now() - readStarted)
    const task = byRecord.get(outcome.ref.recordId)
    if (!task || !byRecord.delete(outcome.ref.recordId)) continue
    if ('error' in outcome) await slice.fail(task, { error: outcome.error, stage: 'read' })
    else if ('document' in outcome && outcome.document.version === task.ref.version)
      await slice.process(task, outcome.document)
    else changed.push(task)
    readStarted = performance.now()
  }
  await slice.flush()
  if (reading.wasStopped()) return { changed, unread: [...byRecord.values()] }
  for (const task of byRecord.values()) {
    const error = new AppError('source_failed', `the source returned nothing for "${task.ref.title}"`)
    await slice.fail(task, { error, stage: 'read' })
  }
  return { changed, unread: [] }
}

/** Documents without an outcome; `uncertain` ones were listed in two scopes, or a later listing lacks them. */
export type UnfinishedDocuments = { tasks: DocumentTask[]; uncertain: string[] }

/** Fails documents that changed too often or whose slice failed. They get the wanted permissions, or are hidden. */
export async function giveUpSlice(
  { tasks, uncertain }: UnfinishedDocuments,
  { context, error }: { context: SliceContext; error: { code: string; message: string } },
  signal: AbortSignal,
): Promise<void> {
  const slice = new Slice(context, signal)
  for (const task of tasks) {
    signal.throwIfAborted()
    if (isExpired(task)) await slice.hide(task.ref)
    else await slice.keepText(task.ref)
    await context.report([{ recordId: task.ref.recordId, state: 'failed', error }])
  }
  const { destination } = context
  await hideDocuments(uncertain, { openLedger: () => context.openLedger(uncertain), destination }, signal)
}

type ProcessedDocument = { task: DocumentTask; document: Omit<SourceDocument, 'body'>; elements: Element[] }
/** A document that cannot be indexed until it changes, such as an unsupported file. */
type SkippedDocument = { ref: DocumentRef; error: AppError }

/** Documents opened for one write: their entries and refs as they are now. */
type OpenedWrite = { ledger: Ledger; entries: Map<string, Entry>; refs: Map<string, DocumentRef> }

/** For a permission write of the same documents. */
const WAIT_MS = 250
const MAX_WAITS = 20

/** How often a permission write may come first before a write gives up. */
const MAX_INTENTS = 10

let slices = 0

class Slice {
  readonly #number = slices++
  readonly #context: SliceContext
  readonly #signal: AbortSignal
  #ready: ProcessedDocument[] = []
  #skipped: SkippedDocument[] = []
  #characters = 0
  /** In the vectors of the documents that are ready. */
  #numbers = 0

  constructor(context: SliceContext, signal: AbortSignal) {
    this.#context = context
    this.#signal = signal
  }

  /** Writes permissions only. Returns the tasks that the index rejected, to read and write them in full. */
  async updateAccess(tasks: DocumentTask[]): Promise<DocumentTask[]> {
    if (tasks.length === 0) return []
    const refs = tasks.map(({ ref }) => ref)
    await this.#waitForPermissionWrites(refs)
    const { entries, settled, taken } = await this.#writePermissions(refs)
    for (const recordId of await this.#writtenByOthers(refs.filter((ref) => taken.has(ref.recordId))))
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

  /** The permission writer took them; it writes the same permissions. */
  async #writtenByOthers(refs: DocumentRef[]): Promise<string[]> {
    if (refs.length === 0) return []
    await this.#waitForPermissionWrites(refs)
    const { entries } = await this.#open(refs)
    return [...entries.values()].flatMap(({ recordId, settled }) => (settled ? [recordId] : []))
  }

  /** The permission writer may be writing the same documents; they were settled when they were listed. */
  async #waitForPermissionWrites(refs: DocumentRef[]): Promise<void> {
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      const { entries } = await this.#open(refs)
      if ([...entries.values()].every(({ settled }) => settled)) return
      await sleep(WAIT_MS, undefined, { signal: this.#signal })
    }
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
      this.#context.measure?.(measuredStage(stage), now - startedAt)
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
    const opened = await this.#intend(
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
    const embedded = await this.#embedEach(current)
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
    if (skips === 'gone') await this.hide(ref)
    else await this.keepText(ref)
    const state = skips ? 'skipped' : 'failed'
    await this.#context.report([{ recordId: ref.recordId, state, stage, error: explain(error) }])
  }

  #reach(tasks: DocumentTask[], stage: DocumentStage): void {
    this.#context.reach?.(
      tasks.map(({ ref }) => ref.recordId),
      stage,
    )
  }

  /** The text in the index stays, with the wanted permissions. */
  async keepText(ref: DocumentRef): Promise<void> {
    await this.#writePermissions([ref])
  }

  async hide(ref: DocumentRef): Promise<void> {
    await this.#tryOpened([ref], ({ ledger, entries }) =>
      revokeAccess([...entries.values()], { ...this.#context, ledger }, this.#signal),
    )
  }

  /** Removes elements of earlier versions and records in the ledger why the document is skipped. */
  async #skip(): Promise<void> {
    const skipped = this.#skipped
    this.#skipped = []
    if (skipped.length === 0) return
    const { destination, settingsHash, report } = this.#context
    const { ledger, entries, refs } = await this.#intend(
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

  /** A ledger with a new fence, with entries and permissions as they are now. */
  async #open(listed: DocumentRef[]): Promise<OpenedWrite> {
    const recordIds = listed.map(({ recordId }) => recordId)
    const ledger = await this.#context.openLedger(recordIds)
    const entries = await ledger.find(recordIds)
    return { ledger, entries, refs: await this.#context.wanted(listed) }
  }

  /** A permission write may come between opening and the intent; then both start again. */
  async #tryOpened<T>(listed: DocumentRef[], write: (opened: OpenedWrite) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const opened = await this.#open(listed)
      try {
        return await write(opened)
      } catch (error) {
        const isTaken = error instanceof AppError && error.code === 'taken_over'
        if (!isTaken || attempt === MAX_INTENTS || this.#signal.aborted) throw error
      }
    }
  }

  /** Records in the ledger, before a write, which elements the index may hold after it. */
  async #intend(
    documents: { ref: DocumentRef; elementIds: string[] }[],
    needsIntent: (entry: Entry) => boolean = () => true,
  ): Promise<OpenedWrite> {
    const listed = documents.map(({ ref }) => ref)
    return this.#tryOpened(listed, async (opened) => {
      const { ledger, entries, refs } = opened
      const written = documents.flatMap(({ ref, elementIds }): Entry[] => {
        const before = entries.get(ref.recordId)
        const ids = new Set([...(before?.elementIds ?? []), ...elementIds])
        const current = refs.get(ref.recordId) ?? ref
        const entry = entryOf(current, before?.version ?? '', before?.settingsHash ?? '', [...ids])
        return needsIntent(entry) ? [intended(entry)] : []
      })
      await ledger.intend(written)
      for (const entry of written) entries.set(entry.recordId, entry)
      return opened
    })
  }

  /** Returns the entries before the write, and the documents whose elements are all in the index. */
  async #writePermissions(
    listed: DocumentRef[],
  ): Promise<{ entries: Map<string, Entry>; settled: Set<string>; taken: Set<string> }> {
    return this.#tryOpened(listed, async ({ ledger, entries, refs }) => {
      const changes = listed.flatMap(({ recordId }) => {
        const entry = entries.get(recordId)
        const ref = refs.get(recordId)
        if (!entry || entry.elementIds.length === 0 || !ref) return []
        return [{ entry, ref }]
      })
      const { destination } = this.#context
      const taken = await writePermissions(changes, { ledger, destination }, this.#signal)
      const after = await ledger.find(changes.map(({ entry }) => entry.recordId))
      const settled = [...after.values()].filter((entry) => entry.settled)
      const settledIds = new Set(settled.map(({ recordId }) => recordId))
      return { entries, settled: settledIds, taken: new Set(taken) }
    })
  }

  /** Embeds all documents at once, else one by one: a rejected text fails only its document. */
  async #embedEach(ready: ProcessedDocument[]): Promise<ProcessedDocument[]> {
    try {
      await this.#embed(ready)
      return ready
    } catch (error) {
      this.#signal.throwIfAborted()
      if (ready.length === 1 && ready[0]) await this.fail(ready[0].task, { error, stage: 'embed' })
      if (ready.length <= 1) return []
    }
    const embedded: ProcessedDocument[] = []
    for (const each of ready) embedded.push(...(await this.#embedEach([each])))
    return embedded
  }

  async #embed(documents: ProcessedDocument[]): Promise<void> {
    const { embedder } = this.#context.runner
    if (!embedder) return
    const elements = documents.flatMap((document) => document.elements)
    let at = 0
    for await (const batch of embedInBatches(elements, embedder, this.#signal))
      for (const { embeddings } of batch) {
        const element = elements[at++]
        if (element && embeddings) element.embeddings = embeddings
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
    ...stateOf(ref),
    settingsHash,
    elementIds,
    settled: true,
  }
}

function idsOf(elements: Element[]): string[] {
  return elements.map((element) => element.element_id)
}

function isNewerThanListing({ ref: { modifiedAt }, asOf }: DocumentTask): boolean {
  return asOf !== undefined && modifiedAt !== null && Date.parse(modifiedAt) > asOf.getTime()
}

function isExpired({ expiresAt }: DocumentTask): boolean {
  return expiresAt !== undefined && Date.now() > expiresAt.getTime()
}

/** The label of a metric: enrichments have no number there. */
function measuredStage(stage: WorkStage): 'partition' | 'enrich' | 'chunk' {
  return stage === 'partition' || stage === 'chunk' ? stage : 'enrich'
}

function rejectionsByRecord(rejections: Rejection[]): Map<string, Rejection> {
  return new Map(rejections.map((rejection) => [rejection.recordId, rejection]))
}
