import { inspectOf } from '../connectors/capabilities.ts'
import type { Destination, HeldRecord } from '../connectors/connector.ts'
import { AppError } from '../errors.ts'
import type { Database } from '../store/database.ts'
import { findDocuments } from '../store/ledger/documents.ts'
import { type WorkflowRow, workflowsNaming } from '../store/workflows/workflows.ts'
import { expectedIndex } from './expected.ts'

export type DestinationSettings = { config: Record<string, unknown> }

/** What another workflow, of whatever workspace, writes behind the alias would not be in the new index. */
export async function refuseOtherWriters(
  db: Database,
  workflowId: string,
  { config, behind = [] }: DestinationSettings & { behind?: string[] },
): Promise<void> {
  const hosts = hostsOf(config)
  const named = await workflowsNaming(db, [String(config.index_name), ...behind])
  const others = named.filter(
    (other) => other.id !== workflowId && hostsOf(other.config).some((host) => hosts.includes(host)),
  )
  if (others.length === 0) return
  // Of another workspace nothing is told but that there is one.
  throw new AppError(
    'in_use',
    `${others.length === 1 ? 'another workflow writes' : `${others.length} other workflows write`} into ${config.index_name}, and a swap would lose what is written there`,
    { fix: 'Give the workflow an index of its own behind an alias of its own, or switch swap_index off' },
  )
}

/**
 * Likewise what anything else has written, such as a command line or a workflow of the past. What this workflow has
 * removed a moment ago still shows in a listing, and is looked up by its id.
 */
export async function refuseStrangers(
  db: Database,
  { workflowId, destination }: { workflowId: string; destination: Destination },
  signal: AbortSignal,
): Promise<void> {
  let strange = 0
  for await (const listed of inspectOf(destination).inventory(signal)) {
    signal.throwIfAborted()
    const known = await findDocuments(db, { workflowId }, [
      ...new Set(listed.map(({ recordId }) => recordId)),
    ])
    const unknown = listed.filter(({ recordId }) => !known.has(recordId))
    // Under an id that is not ours there is nothing to look up.
    const foreign = unknown.filter(({ recordId }) => recordId === '')
    const ours = unknown.filter(({ recordId }) => recordId !== '')
    strange += foreign.length + (await countHeld(ours, destination, signal))
  }
  if (strange === 0) return
  throw new AppError(
    'in_use',
    `the index holds ${strange} elements of documents that this workflow has not written, and a swap would lose them`,
    { fix: 'Give the workflow an index of its own behind an alias of its own, or switch swap_index off' },
  )
}

type Moved = { workflow: WorkflowRow; destination: Destination; now: { identity: string; behind: string } }

/**
 * Somebody moved the alias to another index by hand. What is in it of ours and not in the ledger would keep the rights
 * of then for ever, so that it has to go first, or the alias back.
 */
export async function refuseUnknownElements(
  db: Database,
  { workflow, destination, now }: Moved,
  signal: AbortSignal,
): Promise<void> {
  if (!workflow.index_uuid || workflow.index_uuid === now.identity) return
  const expected = await expectedIndex({ db, workflows: [workflow], destination }, signal)
  let unknown = 0
  for await (const listed of inspectOf(destination).inventory(signal)) {
    signal.throwIfAborted()
    const ours = listed.filter((each) => expected.isOurs(each))
    const known = await expected.find([...new Set(ours.map(({ recordId }) => recordId))])
    const beside = ours.filter(
      ({ recordId, elementId }) => !known.get(recordId)?.elementIds.includes(elementId),
    )
    unknown += await countHeld(beside, destination, signal)
  }
  if (unknown === 0) return
  throw new AppError(
    'destination_schema',
    `the alias stands for index ${now.behind} and not for ${workflow.index_name} any more, and ${unknown} elements in it are not known to be there: their rights would not be kept up`,
    {
      fix: `Move the alias back to ${workflow.index_name}, or call POST /api/v1/destinations/${workflow.destination_id}/repair, which removes them`,
    },
  )
}

/** Looked up by id: a listing still shows what was removed a second ago. */
async function countHeld(
  listed: HeldRecord[],
  destination: Destination,
  signal: AbortSignal,
): Promise<number> {
  if (listed.length === 0) return 0
  const elements = [...Map.groupBy(listed, ({ recordId }) => recordId)].map(([recordId, of]) => ({
    recordId,
    elementIds: of.map(({ elementId }) => elementId),
  }))
  return (await inspectOf(destination).held(elements, signal)).length
}

function hostsOf({ hosts }: Record<string, unknown>): string[] {
  return [hosts].flat().map((host) => URL.parse(String(host))?.host ?? String(host))
}
