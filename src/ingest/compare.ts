import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { READABLE } from '../pipeline/pipeline.ts'
import { stateHash } from './data-source.ts'

export type ChangeKind = 'new' | 'changed' | 'permissions_only' | 'unchanged' | 'skipped'

/** What has to be done for a listed document, by what the ledger says of it. */
export function compare(
  ref: DocumentRef,
  entry: Entry | undefined,
  run: { settingsHash: string; reprocessAll: boolean },
): ChangeKind {
  if (!entry || (!entry.settled && entry.version === '')) return 'new'
  if (run.reprocessAll || !entry.settled) return 'changed'
  if (entry.version !== ref.version || entry.settingsHash !== run.settingsHash) return 'changed'
  // Nothing of it is in the index, so its rights and its place may be what they like.
  if (entry.skipped) return entry.skipped.readable === READABLE ? 'skipped' : 'changed'
  // Text that may be another page's is replaced, whatever else is unchanged.
  if (!entry.ownText) return 'changed'
  return entry.stateHash === stateHash(ref) ? 'unchanged' : 'permissions_only'
}

/** Whether a listed document is no part of the run: nothing of it is in the index, and nothing may come in yet. */
export function staysOut(ref: DocumentRef, entry: Entry | undefined): boolean {
  return ref.undecided === true && (entry === undefined || entry.elementIds.length === 0)
}
