import type { Destination } from '../connectors/destination.ts'
import type { DocumentRef } from '../document.ts'
import type { Entry } from '../ledger-entry.ts'
import { dataSource, HIDDEN_STATE, stateOf } from './data-source.ts'
import type { Ledger } from './ledger.ts'
import { intended, revokeAccess } from './revoke-access.ts'
import { split } from './split.ts'

/** A document in the index and its wanted permissions; null hides it. */
export type PermissionChange = { entry: Entry; ref: DocumentRef | null }

/** Whether the index holds the wanted permissions. */
export function isCurrent({ entry, ref }: PermissionChange): boolean {
  return entry.settled && entry.stateHash === (ref ? stateOf(ref).stateHash : HIDDEN_STATE)
}

/**
 * Writes permissions to text that stays, and hides elements that the index rejects. Safe to repeat. Returns the record
 * ids that a newer task took meanwhile.
 */
export async function writePermissions(
  changes: PermissionChange[],
  { ledger, destination }: { ledger: Ledger; destination: Destination },
  signal: AbortSignal,
): Promise<string[]> {
  const outdated = changes.filter((change) => !isCurrent(change))
  const [shown, hidden] = split(outdated, ({ ref }) => ref !== null)
  await revokeAccess(
    hidden.map(({ entry }) => entry),
    { ledger, destination },
    signal,
  )
  const stale = shown.flatMap(({ entry, ref }) => (ref ? [{ entry, ref }] : []))
  if (stale.length === 0) return []
  await ledger.intend(stale.map(({ entry, ref }) => intended(placed(entry, ref))))
  const now = new Date()
  const write = (each: { entry: Entry; ref: DocumentRef }[]) =>
    destination.updateAccess(
      each.map(({ entry: { recordId, elementIds, version }, ref }) => ({
        recordId,
        elementIds,
        dataSource: dataSource(ref, version, now),
      })),
      ledger.fence,
      signal,
    )
  const refused = new Set((await write(stale)).map(({ recordId }) => recordId))
  const [partly, whole] = split(stale, ({ entry }) => refused.has(entry.recordId))
  const taken = await ledger.settle(whole.map(({ entry, ref }) => placed(entry, ref)))
  if (partly.length === 0) return taken

  // Tries again with the elements that the index holds; the document stays unsettled, so the next run writes it.
  const held = await destination.inspect?.stored(
    partly.map(({ entry }) => entry),
    signal,
  )
  const present = held && Map.groupBy(held, ({ recordId }) => recordId)
  const retried = present
    ? partly.flatMap(({ entry, ref }) => {
        const elementIds = (present.get(entry.recordId) ?? []).map(({ elementId }) => elementId)
        return elementIds.length > 0 ? [{ entry: { ...entry, elementIds }, ref }] : []
      })
    : []
  const left = new Set((await write(retried)).map(({ recordId }) => recordId))
  const [unwritten, rewritten] = split(partly, ({ entry }) => !present || left.has(entry.recordId))
  await ledger.settle(rewritten.map(({ entry, ref }) => ({ ...placed(entry, ref), settled: false })))
  await revokeAccess(
    unwritten.map(({ entry }) => ({ ...entry, settled: false })),
    { ledger, destination },
    signal,
  )
  return taken
}

/** The entry at its new place, with the new permissions. */
function placed(entry: Entry, ref: DocumentRef): Entry {
  const { scope, position, locator } = ref
  return { ...entry, scope, position, locator, ...stateOf(ref) }
}
