import type { Source } from '../connectors/connector.ts'
import type { Entry } from '../ledger-entry.ts'

/** What the listing proved: which scopes reached their end (or a limit's position), and whether all of it did. */
export type Listing = { closed: ReadonlyMap<string, string | null>; complete: boolean }

export type Leaving = { entries: Entry[]; byLimit: number }

/**
 * Of documents the ledger knows and the listing did not see, those that have left. A scope that was not closed
 * loses nothing. One that was cut by a limit is complete up to that position: beyond it documents leave because
 * of the limit, below it only if the source itself says they are gone.
 */
export async function leaving(
  unseen: Entry[],
  listing: Listing,
  { source, signal }: { source: Source; signal: AbortSignal },
): Promise<Leaving> {
  const certain: Entry[] = []
  const asked: Entry[] = []
  let byLimit = 0
  for (const entry of unseen) {
    const upTo = listing.closed.get(entry.scope)
    if (upTo === undefined) {
      if (listing.complete) certain.push(entry)
    } else if (upTo === null) {
      certain.push(entry)
    } else if (entry.position > upTo) {
      certain.push(entry)
      byLimit++
    } else {
      asked.push(entry)
    }
  }
  if (asked.length === 0) return { entries: certain, byLimit }
  const gone = await source.confirmGone(asked, signal)
  return { entries: [...certain, ...asked.filter((entry) => gone.has(entry.recordId))], byLimit }
}

/** A rotated token must never empty an index: above both bounds a person has to agree first. */
export const GUARD = { share: 0.3, documents: 20 }

export function needsApproval(leavingCount: number, knownCount: number): boolean {
  return leavingCount > GUARD.documents && leavingCount > knownCount * GUARD.share
}
