import type { Destination, DocumentLocation, Source } from '../connectors/connector.ts'
import type { Entry } from '../ledger-entry.ts'
import { siteOfRecord } from '../record-id.ts'
import type { Warning } from '../report.ts'
import type { Ledger } from './ledger.ts'
import { oldTextHidden, revokeAccess } from './revoke-access.ts'

/** Closed scopes, each with the position where a limit cut it. */
export type Listing = { closed: ReadonlyMap<string, string | null>; complete: boolean }

/**
 * What becomes of documents that the ledger knows and the listing did not show.
 *
 * A scope that reached its end is proof for its own documents, whatever happened to the others. A scope without an end
 * keeps its documents, unless the whole listing is complete: then it is no longer part of the source. Proof is needed
 * before the source is asked: it locates each document by id, and only documents that it reports as gone are removed.
 */
export type RemovalPlan = {
  /** They leave the index. */
  gone: ReadonlySet<string>
  /** They leave too, because of a limit. */
  byLimit: ReadonlySet<string>
  /** In a scope that was listed without them: listed once more, then hidden. */
  moved: { recordId: string; scope: string }[]
  /** Hidden: their permissions are unknown, or their text or site may be another's. */
  unreadable: ReadonlySet<string>
  /** Documents that leave only when a person agrees; hidden until then. */
  heldBack: number
  /** How many of them belong to another site than the source's. */
  foreign: number
  warnings: Warning[]
}

export type Planning = {
  source: Source
  /** How many documents are in the index, for the guard. */
  known: number
  approved: boolean
  /** What a person has to do to approve, for the warning. */
  approval: string
  signal: AbortSignal
}

/** Reads the unseen documents in pages and keeps only their ids. */
export async function planRemoval(
  unseen: AsyncIterable<Entry[]>,
  listing: Listing,
  { source, known, approved, approval, signal }: Planning,
): Promise<RemovalPlan> {
  const sorted = new Sorted()
  for await (const entries of unseen) {
    const isProved = ({ scope }: Entry) => listing.complete || listing.closed.has(scope)
    for (const entry of entries) if (!isProved(entry) && isOld(entry)) sorted.oldText.add(entry.recordId)
    const proved = entries.filter(isProved)
    const places =
      proved.length > 0 ? await locations(source, { entries: proved, listing }, signal) : new Map()
    for (const entry of proved) sorted.add(entry, reasonOf(places.get(entry.recordId), listing))
  }
  const { gone, byLimit, moved, unknown, oldText, foreign } = sorted
  const heldBack = !approved && needsApproval(sorted.leaving, known) ? sorted.leaving : 0
  const warnings = [
    ...unlistedWarning(unknown.size),
    ...foreignWarning(foreign),
    ...(oldText.size > 0 ? [oldTextHidden(oldText.size)] : []),
    ...(heldBack > 0 ? [heldBackWarning(heldBack, approval)] : limitWarning(sorted.leavingByLimit)),
  ]
  const unreadable = unknown.union(oldText).union(foreign)
  return { gone, byLimit, moved, unreadable, heldBack, foreign: foreign.size, warnings }
}

/**
 * Without `locate` the listing itself is the proof: a missing document of a closed scope is gone, or after the limit
 * that cut the scope. Documents of another site are left out, and so hidden.
 */
async function locations(
  source: Source,
  { entries, listing }: { entries: Entry[]; listing: Listing },
  signal: AbortSignal,
): Promise<Map<string, DocumentLocation>> {
  if (source.locate) return source.locate(entries, signal)
  const { name } = await source.site(signal)
  const ours = entries.filter(({ recordId }) => siteOfRecord(recordId) === name)
  return new Map(
    ours.map(({ recordId, scope, position }) => {
      const upTo = listing.closed.get(scope)
      const isCut = typeof upTo === 'string' && position > upTo
      return [recordId, isCut ? { scope, position } : null]
    }),
  )
}

/** The stores of a run; `removed` records documents that left the index. */
export type Storage = {
  unseen(): AsyncIterable<Entry[]>
  ledger: Ledger
  destination: Destination
  removed(entries: Entry[]): Promise<void>
}

/** After the last listing, documents that were not found are hidden. */
export function withoutLooking(plan: RemovalPlan): RemovalPlan {
  const { moved, unreadable, warnings } = plan
  if (moved.length === 0) return plan
  const hidden = unreadable.union(new Set(moved.map(({ recordId }) => recordId)))
  return { ...plan, moved: [], unreadable: hidden, warnings: [...unlistedWarning(moved.length), ...warnings] }
}

/** Hides the documents instead of removing them, while removal is not allowed yet. */
export function hidingOnly(plan: RemovalPlan): RemovalPlan {
  const { gone, byLimit, unreadable } = withoutLooking(plan)
  const none = { gone: new Set<string>(), byLimit: new Set<string>(), moved: [], heldBack: 0 }
  return { ...plan, ...none, unreadable: unreadable.union(gone).union(byLimit) }
}

/** Hides, then removes. Safe to repeat. Returns the number of removed documents. */
export async function applyRemoval(
  plan: RemovalPlan,
  storage: Storage,
  signal: AbortSignal,
): Promise<number> {
  const { ledger, destination } = storage
  const leaving = plan.gone.union(plan.byLimit)
  const hidden = plan.heldBack > 0 ? plan.unreadable.union(leaving) : plan.unreadable
  if (hidden.size > 0)
    for await (const entries of storage.unseen()) {
      signal.throwIfAborted()
      const toHide = entries.filter(({ recordId }) => hidden.has(recordId))
      await revokeAccess(toHide, { ledger, destination }, signal)
    }
  if (plan.heldBack > 0 || leaving.size === 0) return 0
  let removed = 0
  for await (const unseen of storage.unseen()) {
    const entries = unseen.filter(({ recordId }) => leaving.has(recordId))
    signal.throwIfAborted()
    await destination.remove(entries, ledger.fence, signal)
    await ledger.forget(entries.map(({ recordId }) => recordId))
    const left = entries.filter(isInIndex)
    await storage.removed(left)
    removed += left.length
  }
  return removed
}

/** Skipped documents have no elements: forgetting them is no removal. */
export function isInIndex(entry: Entry): boolean {
  return entry.skipped === undefined
}

/** A rotated token must not empty an index: above both limits a person agrees first. */
export const GUARD = { share: 0.3, documents: 20 }

export function needsApproval(leavingCount: number, knownCount: number): boolean {
  return leavingCount > GUARD.documents && leavingCount > knownCount * GUARD.share
}

type Reason = 'gone' | 'limit' | 'moved' | 'unknown' | 'foreign'

class Sorted {
  readonly gone = new Set<string>()
  readonly byLimit = new Set<string>()
  readonly moved: { recordId: string; scope: string }[] = []
  readonly unknown = new Set<string>()
  readonly oldText = new Set<string>()
  readonly foreign = new Set<string>()
  leaving = 0
  leavingByLimit = 0

  add(entry: Entry, reason: Reason): void {
    const { recordId, scope } = entry
    const counts = isInIndex(entry)
    if (reason === 'gone') this.gone.add(recordId)
    if (reason === 'limit') this.byLimit.add(recordId)
    if (!counts) return
    if (reason === 'gone' || reason === 'limit') this.leaving++
    if (reason === 'limit') this.leavingByLimit++
    if (reason === 'moved') this.moved.push({ recordId, scope })
    if (reason === 'unknown') this.unknown.add(recordId)
    if (reason === 'foreign') this.foreign.add(recordId)
  }
}

/** In a scope that failed, permissions are unknown. */
function reasonOf(place: DocumentLocation | undefined, { closed }: Listing): Reason {
  if (place === undefined) return 'foreign'
  if (place === null) return 'gone'
  if (place === 'unknown' || !closed.has(place.scope)) return 'unknown'
  const upTo = closed.get(place.scope)
  return typeof upTo === 'string' && place.position > upTo ? 'limit' : 'moved'
}

/** Written by an earlier release, which copied text from other pages. */
function isOld(entry: Entry): boolean {
  return isInIndex(entry) && !entry.ownText
}

function unlistedWarning(documents: number): Warning[] {
  if (documents === 0) return []
  const message = `${documents} documents are in the source but could not be listed; their elements are hidden until the listing succeeds`
  return [{ code: 'documents_hidden', message, documents }]
}

/** The source's address changed, so their permissions are unknown. */
function foreignWarning(recordIds: ReadonlySet<string>): Warning[] {
  const documents = recordIds.size
  if (documents === 0) return []
  const sites = [...new Set([...recordIds].map(siteOfRecord))].join(', ')
  const what = documents === 1 ? '1 document belongs' : `${documents} documents belong`
  const message = `${what} to another site (${sites}) than the source's; the elements in the index are hidden`
  return [{ code: 'documents_hidden', message, documents }]
}

function heldBackWarning(documents: number, approval: string): Warning {
  const message = `${documents} documents are no longer in the source's listing, more than a run may remove without approval; they are hidden, and ${approval} removes them from the index`
  return { code: 'deletions_held_back', message, documents }
}

function limitWarning(documents: number): Warning[] {
  if (documents === 0) return []
  const message = `${documents} documents lie beyond the limit of documents per scope and were removed from the index`
  return [{ code: 'removed_by_limit', message, documents }]
}
