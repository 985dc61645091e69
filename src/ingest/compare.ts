import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { stateHash } from './data-source.ts'

export type Kind = 'new' | 'changed' | 'permissions_only' | 'unchanged'

/** What has to be done for a listed document, by what the ledger says of it. */
export function compare(
  ref: DocumentRef,
  entry: Entry | undefined,
  run: { settingsHash: string; reprocessAll: boolean },
): Kind {
  if (!entry || (!entry.settled && entry.version === '')) return 'new'
  if (run.reprocessAll || !entry.settled) return 'changed'
  if (entry.version !== ref.version || entry.settingsHash !== run.settingsHash) return 'changed'
  return entry.stateHash === stateHash(ref) ? 'unchanged' : 'permissions_only'
}
