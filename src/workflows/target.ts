import type { Registry } from '../connectors/registry.ts'
import { targetHash } from '../connectors/target.ts'
import { AppError } from '../errors.ts'
import { type ConnectorRow, readConnector } from '../store/connectors/connectors.ts'
import type { Database } from '../store/database.ts'
import { activeRemovalsFrom, workflowsBeingRemoved } from '../store/jobs/jobs.ts'
import { takeOverDocuments } from '../store/ledger/documents.ts'
import { takeOverUnfinished, unfinishedRemovals } from '../store/ledger/ledger-removal.ts'
import { readSearchedLedger, recordIndex } from '../store/ledger/ledgers.ts'
import { takeOverSwaps } from '../store/swaps/swaps.ts'
import { withWorkflowLock } from '../store/workflows/workflow-lock.ts'
import {
  updateWorkflow,
  type WorkflowRow,
  workflowsOfTarget,
  workflowsUsing,
} from '../store/workflows/workflows.ts'

/**
 * Two workflows on one target would remove each other's documents: the second is refused. A new workflow takes over
 * the ledger of a deleted one.
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

/** Stores the targets that workflows get by a change. Refuses one that gives a workflow the target of another. */
export async function retarget(
  { db, registry }: { db: Database; registry: Registry },
  changed: ConnectorRow,
): Promise<void> {
  for (const workflow of await workflowsUsing(db, changed.id)) {
    const other = changed.kind === 'source' ? workflow.destination_id : workflow.source_id
    const otherRow = other ? await readConnector(db, other) : undefined
    if (!otherRow) continue
    const [source, destination] = changed.kind === 'source' ? [changed, otherRow] : [otherRow, changed]
    const target = ledgerTarget(registry, source, destination)
    await refuseSharedTarget(db, { id: workflow.id, workspaceId: workflow.workspace_id }, target)
    if (target !== workflow.target) await updateWorkflow(db, workflow.id, { target })
  }
}

/** A job that removes elements needs its destination, and must not find another index there. */
export async function refuseWhileRemoving(
  { db, registry }: { db: Database; registry: Registry },
  connector: ConnectorRow,
  changed?: ConnectorRow,
): Promise<void> {
  if (connector.kind !== 'destination') return
  const identityOf = (row: ConnectorRow) =>
    JSON.stringify(registry.destination(row.type)?.identity(row.config as never))
  if (changed && identityOf(connector) === identityOf(changed)) return
  const [job] = await activeRemovalsFrom(db, connector.id)
  if (!job) return
  throw new AppError(
    'in_use',
    `job ${job.id} removes the elements of the deleted workflow "${job.workflow_name}" from "${connector.name}"`,
    { fix: 'Wait for it or cancel it' },
  )
}

/** Takes over what a cancelled or failed removal left in the index. */
export async function takeOverRemovals(db: Database, workflow: WorkflowRow): Promise<void> {
  const { id, workspace_id: workspaceId, target } = workflow
  if (target) await takeOverUnfinished(db, await unfinishedRemovals(db, { workspaceId, target }), id)
}

export async function takeOverLedger(db: Database, workflow: WorkflowRow): Promise<void> {
  const { target } = workflow
  if (!target) return
  await takeOverRemovals(db, workflow)
  const deletedWorkflows = async (on: Database) => {
    const deleted = (await workflowsOfTarget(on, workflow.workspace_id, target))
      .filter((other) => other.deleted_at !== null && other.id !== workflow.id)
      .toSorted((a, b) => Number(b.deleted_at) - Number(a.deleted_at))
    // Their elements are leaving the index.
    const leaving = await workflowsBeingRemoved(
      on,
      deleted.map(({ id }) => id),
    )
    return deleted.filter(({ id }) => !leaving.has(id))
  }
  const [lastDeleted] = await deletedWorkflows(db)
  if (!lastDeleted) return
  // A dead run may have moved the alias; the lock makes this complete.
  await withWorkflowLock(db, lastDeleted.id, (lease) =>
    lease.transaction(async (transaction) => {
      const before = await deletedWorkflows(transaction)
      const ids = before.map(({ id }) => id)
      await takeOverDocuments(transaction, ids, workflow.id)
      await takeOverSwaps(transaction, ids, workflow.id)
      const last = await readSearchedLedger(transaction, lastDeleted.id)
      if (ids.includes(lastDeleted.id) && last?.index_uuid)
        await recordIndex(transaction, workflow.ledger_id, { name: last.index_name, uuid: last.index_uuid })
    }),
  )
}

function knownType<T>(type: T | undefined, { name, type: typeName }: ConnectorRow): T {
  if (type) return type
  throw new AppError('not_possible', `"${name}" is of type ${typeName}, which this version does not know`, {
    fix: 'Start the version that created it, or delete it',
  })
}
