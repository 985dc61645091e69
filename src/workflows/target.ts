import type { Registry } from '../connectors/registry.ts'
import { targetHash } from '../connectors/target.ts'
import { AppError } from '../errors.ts'
import { type ConnectorRow, readConnector } from '../store/connectors/connectors.ts'
import type { Database } from '../store/database.ts'
import { adoptDocuments } from '../store/ledger/documents.ts'
import { adoptSwaps, noteIndex } from '../store/swaps/swaps.ts'
import { withWorkflowLock } from '../store/workflows/workflow-lock.ts'
import {
  updateWorkflow,
  type WorkflowRow,
  workflowsOfTarget,
  workflowsUsing,
} from '../store/workflows/workflows.ts'

/**
 * Two workflows on one target would remove each other's documents: the second is refused. A later one takes over the
 * ledger of a deleted one.
 */
export function ledgerTarget(registry: Registry, source: ConnectorRow, destination: ConnectorRow): string {
  return targetHash(
    { type: knownType(registry.source(source.type), source), config: source.config },
    { type: knownType(registry.destination(destination.type), destination), config: destination.config },
  )
}

/** Throws if another workflow writes to this target, whatever its scopes. */
export async function refuseSharedTarget(
  db: Database,
  workflow: { id: string; workspaceId: string },
  target: string,
): Promise<void> {
  const others = await workflowsOfTarget(db, workflow.workspaceId, target)
  const other = others.find(({ id, deleted_at: deleted }) => id !== workflow.id && !deleted)
  if (!other) return
  // One would remove what the other writes when a document moves.
  throw new AppError(
    'in_use',
    `the workflow "${other.name}" already writes this source into this destination`,
    {
      fix: 'Add the scopes to its source, or use another destination',
    },
  )
}

/** Refuses a change that moves a workflow to another's target. */
export async function retarget(
  { db, registry }: { db: Database; registry: Registry },
  changed: ConnectorRow,
): Promise<() => Promise<void>> {
  const moves: { id: string; target: string }[] = []
  for (const workflow of await workflowsUsing(db, changed.id)) {
    const other = changed.kind === 'source' ? workflow.destination_id : workflow.source_id
    const otherRow = other ? await readConnector(db, other) : undefined
    if (!otherRow) continue
    const [source, destination] = changed.kind === 'source' ? [changed, otherRow] : [otherRow, changed]
    const target = ledgerTarget(registry, source, destination)
    await refuseSharedTarget(db, { id: workflow.id, workspaceId: workflow.workspace_id }, target)
    moves.push({ id: workflow.id, target })
  }
  return async () => {
    for (const { id, target } of moves) await updateWorkflow(db, id, { target })
  }
}

export async function adoptLedger(db: Database, workflow: WorkflowRow): Promise<void> {
  const { target } = workflow
  if (!target) return
  const deletedWorkflows = async (on: Database) =>
    (await workflowsOfTarget(on, workflow.workspace_id, target))
      .filter((other) => other.deleted_at !== null && other.id !== workflow.id)
      .toSorted((a, b) => Number(b.deleted_at) - Number(a.deleted_at))
  const [lastDeleted] = await deletedWorkflows(db)
  if (!lastDeleted) return
  // A dead run may have moved the alias; the lock makes this complete.
  await withWorkflowLock(db, lastDeleted.id, async (locked) => {
    const before = await deletedWorkflows(locked)
    const ids = before.map(({ id }) => id)
    await adoptDocuments(locked, ids, workflow.id)
    await adoptSwaps(locked, ids, workflow.id)
    const last = before.find(({ id }) => id === lastDeleted.id)
    if (last?.index_uuid)
      await noteIndex(locked, workflow.id, { name: last.index_name, uuid: last.index_uuid })
  })
}

function knownType<T>(type: T | undefined, { name, type: typeName }: ConnectorRow): T {
  if (type) return type
  throw new AppError('not_possible', `"${name}" is of type ${typeName}, which this version does not know`, {
    fix: 'Start the version that created it, or delete it',
  })
}
