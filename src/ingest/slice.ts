import { AppError } from '../errors.ts'
import { FencedWrites } from './fenced-writes.ts'
import { readUntil } from './read-until.ts'
import { isExpired } from './relist-limits.ts'
import { hideDocuments } from './removal.ts'
import type { DocumentTask, SliceContext } from './slice-context.ts'
import { SliceDocuments } from './slice-documents.ts'
import { split } from './split.ts'

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
  const slice = new SliceDocuments(context, signal)
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
  slice: SliceDocuments,
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
  const writes = new FencedWrites(context, signal)
  for (const task of tasks) {
    signal.throwIfAborted()
    if (isExpired(task)) await writes.hide(task.ref)
    else await writes.writePermissions([task.ref])
    await context.report([{ recordId: task.ref.recordId, state: 'failed', error }])
  }
  const { destination } = context
  await hideDocuments(uncertain, { openLedger: () => context.openLedger(uncertain), destination }, signal)
}

function isNewerThanListing({ ref: { modifiedAt }, asOf }: DocumentTask): boolean {
  return asOf !== undefined && modifiedAt !== null && Date.parse(modifiedAt) > asOf.getTime()
}
