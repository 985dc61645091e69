import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { READABLE } from '../pipeline/pipeline.ts'
import { stateHash } from './data-source.ts'

export type ChangeKind = 'new' | 'changed' | 'permissions_only' | 'unchanged' | 'skipped'

/** What a listed document needs, by its ledger entry. */
export function compare(
  ref: DocumentRef,
  entry: Entry | undefined,
  run: { settingsHash: string; reprocessAll: boolean },
): ChangeKind {
  if (!entry || (!entry.settled && entry.version === '')) return 'new'
  if (run.reprocessAll || !entry.settled) return 'changed'
  if (entry.version !== ref.version || entry.settingsHash !== run.settingsHash) return 'changed'
  // It has no elements, so its permissions do not matter.
  if (entry.skipped) return entry.skipped.readable === READABLE ? 'skipped' : 'changed'
  // Text that may be another page's is always replaced.
  if (!entry.ownText) return 'changed'
  return entry.stateHash === stateHash(ref) ? 'unchanged' : 'permissions_only'
}

/** Whether an undecided document without elements stays out of the run. */
export function staysOut(ref: DocumentRef, entry: Entry | undefined): boolean {
  return ref.undecided === true && (entry === undefined || entry.elementIds.length === 0)
}
