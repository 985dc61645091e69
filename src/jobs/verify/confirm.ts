import { setTimeout as sleep } from 'node:timers/promises'
import { inspectOf } from '../../connectors/capabilities.ts'
import { type ComparedDocument, NO_TOTALS, subtractTotals } from '../../index-comparison.ts'
import { assumeEqual, compareEntries, confirmExtra } from '../../ingest/compare-index.ts'
import type { FencedEntry } from '../../ledger-entry.ts'
import { findLedgerEntries, openIntents } from '../../store/ledger/ledger-view.ts'
import { type DocumentFindings, listFindings } from '../../store/verifications/findings.ts'
import type { VerificationRow, VerificationSlice } from '../../store/verifications/verifications.ts'
import type { Comparison } from './slices.ts'

export const DIFFERENCES_PER_SLICE = 200
/** A permission write takes seconds. A document that is still being written then is not reported. */
const ATTEMPTS = 10
const PAUSE_MS = 1_000
const WRITE_SECONDS = 10

/** Compares documents that differed once more, because a task may have written them meanwhile. */
export async function confirmSlice(
  { job_id: jobId, cursor }: VerificationRow,
  comparison: Comparison,
  signal: AbortSignal,
): Promise<VerificationSlice | null> {
  const after = cursor === null ? null : JSON.parse(cursor)
  const page = await listFindings(comparison.db, jobId, { after, limit: DIFFERENCES_PER_SLICE })
  const last = page.at(-1)
  if (!last) return null
  const now = new Map<DocumentFindings, ComparedDocument | undefined>()
  for (const [ledger, differences] of Map.groupBy(page, (each) => each.ledger)) {
    const recordIds = differences.map(({ recordId }) => recordId)
    const compared =
      ledger === ''
        ? await stillExtra(differences, comparison, signal)
        : await compareAgain({ workflowId: ledger, recordIds }, comparison, signal)
    for (const difference of differences) now.set(difference, compared.get(difference.recordId))
  }
  return {
    phase: 'confirm',
    cursor: JSON.stringify({ recordId: last.recordId, ledger: last.ledger }),
    ...changesOf(now),
  }
}

/** The rest of these elements that is in the index and in no ledger. */
export async function stillExtra(
  differences: DocumentFindings[],
  { db, workflowIds, destination }: Comparison,
  signal: AbortSignal,
): Promise<Map<string, ComparedDocument>> {
  const listed = differences.flatMap(({ recordId, scopeKey, findings }) =>
    findings.flatMap(({ elementIds }) => elementIds.map((elementId) => ({ recordId, scopeKey, elementId }))),
  )
  const known = { find: (recordIds: string[]) => findLedgerEntries(db, workflowIds, recordIds) }
  const extra = await confirmExtra(listed, { known, inspect: inspectOf(destination) }, signal)
  return new Map(extra.map((document) => [document.recordId, document]))
}

/** Documents that left the ledger are not in the result. */
async function compareAgain(
  { workflowId, recordIds }: { workflowId: string; recordIds: string[] },
  { db, destination }: Comparison,
  signal: AbortSignal,
): Promise<Map<string, ComparedDocument>> {
  const find = (ids: string[]) => findLedgerEntries(db, [workflowId], ids)
  const decided = new Map<string, ComparedDocument>()
  let pending = await find(recordIds)
  for (let attempt = 1; pending.size > 0; attempt++) {
    const before = pending
    const compared = await compareEntries([...before.values()], inspectOf(destination), signal)
    const ids = [...before.keys()]
    // Read after the index: an unchanged entry means that no task wrote the document meanwhile.
    const after = await find(ids)
    const open = await openIntents(db, workflowId, { recordIds: ids, seconds: WRITE_SECONDS })
    pending = new Map()
    for (const document of compared) {
      const { recordId } = document
      const entry = after.get(recordId)
      if (!entry) continue
      if (!open.has(recordId) && isSame(before.get(recordId), entry)) decided.set(recordId, document)
      else if (attempt === ATTEMPTS) decided.set(recordId, assumeEqual(entry))
      else pending.set(recordId, entry)
    }
    if (pending.size > 0) await sleep(PAUSE_MS, undefined, { signal })
  }
  return decided
}

function isSame(before: FencedEntry | undefined, after: FencedEntry): boolean {
  return before?.fence === after.fence && before.settled === after.settled
}

function changesOf(
  now: Map<DocumentFindings, ComparedDocument | undefined>,
): Pick<VerificationSlice, 'scopes' | 'differences' | 'dropped'> {
  const changes = [...now]
  const confirmed = changes.flatMap(([{ ledger }, document]) =>
    document && document.findings.length > 0 ? [{ ...document, ledger }] : [],
  )
  const dropped = changes.flatMap(([difference, document]) =>
    document && document.findings.length > 0 ? [] : [difference],
  )
  return {
    // A document may have moved to another scope.
    scopes: changes.flatMap(([before, document]) => [
      { ...before, totals: subtractTotals(NO_TOTALS, before.totals) },
      ...(document ? [document] : []),
    ]),
    differences: confirmed,
    dropped,
  }
}
