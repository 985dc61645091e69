import type { Destination } from '../connectors/destination.ts'
import { AppError } from '../errors.ts'
import type { Entry } from '../ledger-entry.ts'
import { HIDDEN, HIDDEN_STATE, hiddenDataSource } from './data-source.ts'
import type { Ledger } from './ledger.ts'

/**
 * Hides documents whose permissions are unknown. Text and vectors stay, so the next listing can restore access. The
 * ledger records the intent first: after a crash the entries are unsettled, and the next run writes them again.
 */
export async function revokeAccess(
  entries: Entry[],
  { ledger, destination }: { ledger: Ledger; destination: Destination },
  signal: AbortSignal,
): Promise<void> {
  const isHidden = ({ stateHash, settled }: Entry) => settled && stateHash === HIDDEN_STATE
  const visible = entries.filter((entry) => !isHidden(entry) && entry.elementIds.length > 0)
  if (visible.length === 0) return
  await ledger.intend(visible.map(intended))
  const now = new Date()
  const write = async (batch: Entry[]) => {
    const items = batch.map((entry) => {
      const { recordId, elementIds } = entry
      return { recordId, elementIds, dataSource: hiddenDataSource(entry, now) }
    })
    return destination.updateAccess(items, ledger.fence, signal)
  }
  const refused = new Set((await write(visible)).map(({ recordId }) => recordId))
  if (refused.size > 0) {
    // One missing element must not prevent hiding the others.
    const withRejections = visible.filter(({ recordId }) => refused.has(recordId))
    const rejections = await write(await presentElements(withRejections, destination, signal))
    // Removes elements that cannot be hidden; the next run writes the unsettled documents again.
    const elements = rejections.map(({ recordId, elementId }) => ({ recordId, elementIds: [elementId] }))
    if (elements.length > 0) await destination.remove(elements, ledger.fence, signal)
  }
  // Elements of refused documents are hidden or removed; the next run writes those documents again.
  await ledger.settle(
    visible.map((entry) => {
      const { metadataHash: _, ...hidden } = { ...entry, ...HIDDEN }
      return { ...hidden, settled: entry.settled && !refused.has(entry.recordId) }
    }),
  )
}

/** Until it is settled, the index may hold the old or the new permissions. */
export function intended({ accessHash: _, metadataHash: __, ...entry }: Entry): Entry {
  return { ...entry, settled: false }
}

/** The elements that exist, or one item per element if the destination cannot list them. */
async function presentElements(
  entries: Entry[],
  { inspect }: Destination,
  signal: AbortSignal,
): Promise<Entry[]> {
  if (!inspect)
    return entries.flatMap((entry) => entry.elementIds.map((id) => ({ ...entry, elementIds: [id] })))
  const held = Map.groupBy(await inspect.stored(entries, signal), ({ recordId }) => recordId)
  return entries.flatMap((entry) => {
    const elementIds = (held.get(entry.recordId) ?? []).map(({ elementId }) => elementId)
    return elementIds.length > 0 ? [{ ...entry, elementIds }] : []
  })
}

/** After such an error documents cannot be hidden, because the index cannot be written. */
export function isDestinationError(error: unknown): boolean {
  return error instanceof AppError && error.code.startsWith('destination_')
}
