import { inspectOf } from '../../connectors/capabilities.ts'
import type { Destination, StoredRecord } from '../../connectors/destination.ts'
import { indexAddresses } from '../../connectors/target.ts'
import { AppError } from '../../errors.ts'
import type { Database } from '../../store/database.ts'
import { findDocuments } from '../../store/ledger/documents.ts'
import type { LedgerRow } from '../../store/ledger/ledgers.ts'
import { workflowsOfDestinationType } from '../../store/workflows/workflows.ts'
import type { WrittenIndex } from '../job-run.ts'
import type { Resources } from '../resources.ts'
import { expectedIndex } from '../verify/expected-index.ts'

type SwappedDestination = { name: string; type: string; config: Record<string, unknown> }

/** Documents of another workflow, in any workspace, would be missing from the new index. */
export async function refuseOtherWriters(
  { db, registry }: Pick<Resources, 'db' | 'registry'>,
  workflowId: string,
  { name, type: typeName, config, otherNames = [] }: SwappedDestination & { otherNames?: string[] },
): Promise<void> {
  const type = registry.destination(typeName)
  if (!type) return
  const own = new Set(indexAddresses({ type, config }, otherNames))
  const others = (await workflowsOfDestinationType(db, type.type)).filter(
    (other) =>
      other.id !== workflowId &&
      indexAddresses({ type, config: other.config }).some((address) => own.has(address)),
  )
  if (others.length === 0) return
  // The message names nothing from other workspaces.
  throw new AppError(
    'in_use',
    `${others.length === 1 ? 'another workflow writes' : `${others.length} other workflows write`} into the index of "${name}", and a swap would lose what is written there`,
    { fix: 'Give the workflow an index of its own behind an alias of its own, or switch swap_index off' },
  )
}

/** Elements of other writers, such as the command line, would be lost. */
export async function refuseForeignElements(
  db: Database,
  { ledger, destination }: WrittenIndex,
  signal: AbortSignal,
): Promise<void> {
  let count = 0
  for await (const listed of inspectOf(destination).inventory(signal)) {
    signal.throwIfAborted()
    const known = await findDocuments(db, ledger, [...new Set(listed.map(({ recordId }) => recordId))])
    const unknown = listed.filter(({ recordId }) => !known.has(recordId))
    // Elements without a record id of ours cannot be looked up.
    const foreign = unknown.filter(({ recordId }) => recordId === '')
    const ours = unknown.filter(({ recordId }) => recordId !== '')
    count += foreign.length + (await countHeld(ours, destination, signal))
  }
  if (count === 0) return
  throw new AppError(
    'in_use',
    `the index holds ${count} elements of documents that this workflow has not written, and a swap would lose them`,
    { fix: 'Give the workflow an index of its own behind an alias of its own, or switch swap_index off' },
  )
}

type MovedAlias = {
  ledger: LedgerRow
  destination: Destination
  now: { identity: string; indexName: string }
}

/** The alias was moved by hand: elements outside the ledger would keep old permissions forever. */
export async function refuseUnknownElements(
  db: Database,
  { ledger, destination, now }: MovedAlias,
  signal: AbortSignal,
): Promise<void> {
  if (!ledger.index_uuid || ledger.index_uuid === now.identity) return
  const workflows = [{ id: ledger.workflow_id }]
  const expected = await expectedIndex({ db, workflows, destination }, signal)
  let unknown = 0
  for await (const listed of inspectOf(destination).inventory(signal)) {
    signal.throwIfAborted()
    const ours = listed.filter((each) => expected.isOurs(each))
    const known = await expected.find([...new Set(ours.map(({ recordId }) => recordId))])
    const unlisted = ours.filter(
      ({ recordId, elementId }) => !known.get(recordId)?.elementIds.includes(elementId),
    )
    unknown += await countHeld(unlisted, destination, signal)
  }
  if (unknown === 0) return
  throw new AppError(
    'destination_schema',
    `the alias points to index ${now.indexName} instead of ${ledger.index_name}, and the ledger does not list ${unknown} elements in it: their permissions would not be updated`,
    {
      fix: `Move the alias back to ${ledger.index_name}, or repair the destination, which removes them`,
    },
  )
}

/** Looks them up by id: an inventory still lists elements removed a second ago. */
async function countHeld(
  listed: StoredRecord[],
  destination: Destination,
  signal: AbortSignal,
): Promise<number> {
  if (listed.length === 0) return 0
  const byRecord = [...Map.groupBy(listed, ({ recordId }) => recordId)].map(([recordId, elements]) => ({
    recordId,
    elementIds: elements.map(({ elementId }) => elementId),
  }))
  return (await inspectOf(destination).stored(byRecord, signal)).length
}
