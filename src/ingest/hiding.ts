import type { Destination } from '../connectors/connector.ts'
import type { Entry } from '../ledger-entry.ts'
import { HIDDEN, hiddenDataSource } from './data-source.ts'
import type { Ledger } from './ledger.ts'

/**
 * Takes everybody's rights from documents whose own are not known any more. Text and vectors stay, so that the next
 * listing that shows them only has to bring their rights back. Noted first, like every write: a crash in between
 * leaves them unsettled, and they are worked as a whole.
 */
export async function hide(
  entries: Entry[],
  { ledger, destination }: { ledger: Ledger; destination: Destination },
  signal: AbortSignal,
): Promise<void> {
  const shown = entries.filter(({ stateHash, elementIds }) => stateHash !== HIDDEN && elementIds.length > 0)
  if (shown.length === 0) return
  await ledger.intend(shown.map((entry) => ({ ...entry, settled: false })))
  const now = new Date()
  const items = shown.map((entry) => {
    const { recordId, elementIds } = entry
    return { recordId, elementIds, dataSource: hiddenDataSource(entry, now) }
  })
  const refused = new Set(
    (await destination.updateAccess(items, ledger.fence, signal)).map((each) => each.recordId),
  )
  const hidden = shown.filter(({ settled, recordId }) => settled && !refused.has(recordId))
  await ledger.settle(hidden.map((entry) => ({ ...entry, stateHash: HIDDEN })))
}
