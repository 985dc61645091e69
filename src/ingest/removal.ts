import type { Destination } from '../connectors/destination.ts'
import type { DocumentLocation, Source } from '../connectors/source.ts'
import { AppError } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import { siteOfRecord } from '../record-id.ts'
import type { Warning } from '../report.ts'
import type { Ledger } from './ledger.ts'
import { revokeAccess } from './revoke-access.ts'

/** The completely listed scopes, each with the position where a limit cut it, or null. */
export type ListingResult = { closed: ReadonlyMap<string, string | null>; complete: boolean }

/**
 * What happens to documents that are in the ledger but not in the listing.
 *
 * In a completely listed scope, missing documents may be removed even if other scopes failed. Other scopes keep their
 * documents, unless the whole listing is complete: then the scope is no longer part of the source. The source then
 * locates each missing document by id, and only documents that it reports as gone are removed.
 */
export type RemovalPlan = {
  /** Removed from the index. */
  gone: ReadonlySet<string>
  /** Removed because of a limit. */
  byLimit: ReadonlySet<string>
  /** Exist in a scope whose listing lacks them: listed once more, then hidden. */
  moved: { recordId: string; scope: string }[]
  /** Their permissions are unknown, or they belong to another site. */
  toHide: ReadonlySet<string>
  /** How many removals wait for approval; the documents are hidden until then. */
  heldBack: number
  /** How many documents belong to another site than the source's. */
  foreign: number
  warnings: Warning[]
}

type RemovalPlanOptions = {
  source: Source
  /** How many documents are in the index, for the guard. */
  indexedCount: number
  approved: boolean
  /** What a person has to do to approve, for the warning. */
  approval: string
  signal: AbortSignal
}

/** Reads the unlisted documents in pages and keeps only their ids in memory. */
export async function planRemoval(
  unlisted: AsyncIterable<Entry[]>,
  listing: ListingResult,
  { source, indexedCount, approved, approval, signal }: RemovalPlanOptions,
): Promise<RemovalPlan> {
  const byReason = new UnlistedByReason()
  for await (const entries of unlisted) {
    const proved = entries.filter((entry) => isListed(entry, listing))
    const locations =
      proved.length > 0 ? await locate(source, { entries: proved, listing }, signal) : new Map()
    for (const entry of proved) byReason.add(entry, reasonOf(locations.get(entry.recordId), listing))
  }
  const { gone, byLimit, moved, unknown, foreign } = byReason
  const heldBack = !approved && needsApproval(byReason.leavingCount, indexedCount) ? byReason.leavingCount : 0
  const warnings = [
    ...hiddenWarning(unknown.size),
    ...foreignWarning(foreign),
    ...(heldBack > 0 ? [heldBackWarning(heldBack, approval)] : limitWarning(byReason.leavingByLimitCount)),
  ]
  const toHide = unknown.union(foreign)
  return { gone, byLimit, moved, toHide, heldBack, foreign: foreign.size, warnings }
}

/** Whether the listing reached the end of the document's scope, or proved that the scope is gone. */
function isListed({ scope }: Entry, { closed, complete }: ListingResult): boolean {
  return complete || closed.has(scope)
}

/**
 * Without `locate` only the listing counts: a document missing from a closed scope is gone, or lies after the limit
 * that cut the scope. Documents of another site have no location and are hidden.
 */
async function locate(
  source: Source,
  { entries, listing }: { entries: Entry[]; listing: ListingResult },
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

/** The stores of a run; `onRemoved` records documents that left the index. */
type RemovalStorage = {
  unlisted(): AsyncIterable<Entry[]>
  /** The ledger with a new fence. */
  openLedger(): Promise<Ledger>
  destination: Destination
  onRemoved(entries: Entry[]): Promise<void>
}

/** Hides documents that the last listing still lacks. */
export function hideMoved(plan: RemovalPlan): RemovalPlan {
  const { moved, toHide, warnings } = plan
  if (moved.length === 0) return plan
  const hidden = toHide.union(new Set(moved.map(({ recordId }) => recordId)))
  return { ...plan, moved: [], toHide: hidden, warnings: [...hiddenWarning(moved.length), ...warnings] }
}

/** Hides documents that listed scopes lack, before a run lists again or ends early; a later removal decides about them. */
export async function hideUnlisted(
  unlisted: AsyncIterable<Entry[]>,
  listing: ListingResult,
  hide: (entries: Entry[]) => Promise<void>,
): Promise<void> {
  for await (const entries of unlisted) await hide(entries.filter((entry) => isListed(entry, listing)))
}

/** Hides documents instead of removing them, while removal is not allowed. */
export function hideInsteadOfRemoving(plan: RemovalPlan): RemovalPlan {
  const { gone, byLimit, toHide } = hideMoved(plan)
  const none = { gone: new Set<string>(), byLimit: new Set<string>(), moved: [], heldBack: 0 }
  return { ...plan, ...none, toHide: toHide.union(gone).union(byLimit) }
}

/** Hides, then removes. Safe to repeat. Returns the number of removed documents. */
export async function applyRemoval(
  plan: RemovalPlan,
  storage: RemovalStorage,
  signal: AbortSignal,
): Promise<number> {
  const leaving = plan.gone.union(plan.byLimit)
  const hiddenIds = plan.heldBack > 0 ? plan.toHide.union(leaving) : plan.toHide
  if (hiddenIds.size > 0)
    for await (const entries of storage.unlisted()) {
      signal.throwIfAborted()
      const recordIds = entries.map(({ recordId }) => recordId).filter((id) => hiddenIds.has(id))
      await hideDocuments(recordIds, storage, signal)
    }
  if (plan.heldBack > 0 || leaving.size === 0) return 0
  let removed = 0
  for await (const page of storage.unlisted()) {
    const entries = page.filter(({ recordId }) => leaving.has(recordId))
    signal.throwIfAborted()
    await removeEntries(entries, storage, signal)
    const indexed = entries.filter(isInIndex)
    await storage.onRemoved(indexed)
    removed += indexed.length
  }
  return removed
}

/** How often a permission write may come first. */
const MAX_ATTEMPTS = 10

/** Removes documents with their current entries, as `hideDocuments` hides them. */
async function removeEntries(
  entries: Entry[],
  { openLedger, destination }: RemovalStorage,
  signal: AbortSignal,
): Promise<void> {
  const recordIds = entries.map(({ recordId }) => recordId)
  for (let left = entries, attempt = 1; left.length > 0; attempt++) {
    const ledger = await openLedger()
    await destination.remove(left, ledger.fence, signal)
    await ledger.forget(recordIds)
    left = [...(await ledger.find(recordIds)).values()]
    if (left.length > 0 && attempt === MAX_ATTEMPTS)
      throw new AppError('taken_over', `another task keeps writing ${left.length} documents that left`)
  }
}

/** Hides documents with their current entries; a permission write of the same documents may come between. */
export async function hideDocuments(
  recordIds: string[],
  { openLedger, destination }: Pick<RemovalStorage, 'openLedger' | 'destination'>,
  signal: AbortSignal,
): Promise<void> {
  if (recordIds.length === 0) return
  for (let attempt = 1; ; attempt++) {
    const ledger = await openLedger()
    const current = await ledger.find(recordIds)
    try {
      return await revokeAccess([...current.values()], { ledger, destination }, signal)
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === 'taken_over'
      if (!isTaken || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/** Skipped documents have no elements, so dropping their entry is no removal. */
export function isInIndex(entry: Entry): boolean {
  return entry.skipped === undefined
}

/** A rotated token must not empty an index: above both limits a removal needs approval. */
export const GUARD = { share: 0.3, documents: 20 }

export function needsApproval(leavingCount: number, indexedCount: number): boolean {
  return leavingCount > GUARD.documents && leavingCount > indexedCount * GUARD.share
}

type Reason = 'gone' | 'limit' | 'moved' | 'unknown' | 'foreign'

class UnlistedByReason {
  readonly gone = new Set<string>()
  readonly byLimit = new Set<string>()
  readonly moved: { recordId: string; scope: string }[] = []
  readonly unknown = new Set<string>()
  readonly foreign = new Set<string>()
  leavingCount = 0
  leavingByLimitCount = 0

  add(entry: Entry, reason: Reason): void {
    const { recordId, scope } = entry
    const counts = isInIndex(entry)
    if (reason === 'gone') this.gone.add(recordId)
    if (reason === 'limit') this.byLimit.add(recordId)
    if (!counts) return
    if (reason === 'gone' || reason === 'limit') this.leavingCount++
    if (reason === 'limit') this.leavingByLimitCount++
    if (reason === 'moved') this.moved.push({ recordId, scope })
    if (reason === 'unknown') this.unknown.add(recordId)
    if (reason === 'foreign') this.foreign.add(recordId)
  }
}

/** In a scope that failed, permissions are unknown. */
function reasonOf(location: DocumentLocation | undefined, { closed }: ListingResult): Reason {
  if (location === undefined) return 'foreign'
  if (location === null) return 'gone'
  if (location === 'unknown' || !closed.has(location.scope)) return 'unknown'
  const upTo = closed.get(location.scope)
  return typeof upTo === 'string' && location.position > upTo ? 'limit' : 'moved'
}

function hiddenWarning(documents: number): Warning[] {
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
  const message = `${documents} documents are no longer in the source's listing, more than a run may remove without approval; they are hidden until ${approval}`
  return { code: 'deletions_held_back', message, documents }
}

function limitWarning(documents: number): Warning[] {
  if (documents === 0) return []
  const message = `${documents} documents are beyond the limit of documents per scope and were removed from the index`
  return [{ code: 'removed_by_limit', message, documents }]
}
