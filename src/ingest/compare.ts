import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { READABLE_TYPES_HASH } from '../pipeline/pipeline.ts'
import { stateHash } from './data-source.ts'

export type ChangeKind = 'new' | 'changed' | 'permissions_only' | 'unchanged' | 'skipped'

/** What has changed in a listed document since its ledger entry. */
export function compare(
  ref: DocumentRef,
  entry: Entry | undefined,
  run: { settingsHash: string; reprocessAll: boolean },
): ChangeKind {
  if (!entry || (!entry.settled && entry.version === '')) return 'new'
  if (run.reprocessAll) return 'changed'
  if (entry.version !== ref.version || entry.settingsHash !== run.settingsHash) return 'changed'
  // It has no elements, so its permissions do not matter.
  if (entry.skipped)
    return entry.settled && entry.skipped.readable === READABLE_TYPES_HASH ? 'skipped' : 'changed'
  // Usually a permission write is running. If its text is missing from the index too, the slice writes it.
  if (!entry.settled) return 'permissions_only'
  return entry.stateHash === stateHash(ref) && isPlaced(ref, entry) ? 'unchanged' : 'permissions_only'
}

/** Whether the ledger has the place at which the document was listed. */
export function isPlaced(ref: DocumentRef, entry: Entry): boolean {
  return entry.scope === ref.scope && entry.position === ref.position
}

/** Whether the run ignores an undecided document, because the index holds no elements of it. */
export function isExcluded(ref: DocumentRef, entry: Entry | undefined): boolean {
  return ref.undecided === true && (entry === undefined || entry.elementIds.length === 0)
}
