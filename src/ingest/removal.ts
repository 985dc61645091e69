import type { Source, Whereabouts } from '../connectors/connector.ts'
import type { Entry } from '../ledger-entry.ts'

/** What the listing proved: which scopes reached their end (or a limit's position), and whether all of it did. */
export type Listing = { closed: ReadonlyMap<string, string | null>; complete: boolean }

/**
 * `byLimit` says how many of the entries leave the index because of a limit. `missed` are in the wiki, or may be, and
 * were not shown all the same: the rights they have in the index are those of before.
 */
export type Leaving = { entries: Entry[]; byLimit: number; missed: Entry[] }

/**
 * Of documents the ledger knows and the listing did not see, those that leave the index. A scope that was not closed
 * loses nothing, and neither does anything the source does not speak of. What is gone leaves, and what lies beyond a
 * limit leaves because of it. What is there and was not shown may not stay as it is either: it moved while it was
 * listed, or could not be listed, and nobody knows what its rights are now.
 */
export async function leaving(
  unseen: Entry[],
  listing: Listing,
  { source, signal }: { source: Source; signal: AbortSignal },
): Promise<Leaving> {
  const asked = unseen.filter(({ scope }) => listing.complete || listing.closed.has(scope))
  if (asked.length === 0) return { entries: [], byLimit: 0, missed: [] }
  const places = await source.whereabouts(asked, signal)
  const reasons = asked.map((entry) => ({
    entry,
    reason: reasonOf(places.get(entry.recordId), listing),
  }))
  const those = (...wanted: unknown[]) =>
    reasons.filter(({ reason }) => wanted.includes(reason)).map(({ entry }) => entry)
  return {
    entries: those('gone', 'limit'),
    byLimit: those('limit').filter(isInIndex).length,
    missed: those('missed'),
  }
}

/** What was skipped for what it is has nothing in the index: it is forgotten, which is no removal. */
export function isInIndex(entry: Entry): boolean {
  return entry.skipped === undefined
}

function reasonOf(place: Whereabouts | undefined, { closed }: Listing): 'gone' | 'limit' | 'missed' | null {
  if (place === undefined) return null
  if (place === null) return 'gone'
  if (place === 'unknown') return 'missed'
  const upTo = closed.get(place.scope)
  return typeof upTo === 'string' && place.position > upTo ? 'limit' : 'missed'
}

/** A rotated token must never empty an index: above both bounds a person has to agree first. */
export const GUARD = { share: 0.3, documents: 20 }

export function needsApproval(leavingCount: number, knownCount: number): boolean {
  return leavingCount > GUARD.documents && leavingCount > knownCount * GUARD.share
}
