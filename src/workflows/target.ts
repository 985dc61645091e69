import { createHash } from 'node:crypto'
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
 * What a workflow writes where: one wiki into one index. Two workflows on one target would each take the other's
 * documents for strangers, so the second is refused; one made after the first was deleted takes over its ledger.
 */
export function ledgerTarget(source: ConnectorRow, destination: ConnectorRow): string {
  return createHash('sha256')
    .update(
      JSON.stringify([
        source.type,
        siteOf(String(source.config.url)),
        [destination.config.hosts]
          .flat()
          .map((host) => siteOf(String(host)))
          .sort(),
        destination.config.index_name,
      ]),
    )
    .digest('hex')
}

/** Throws where another workflow already writes this wiki into this index, whichever spaces of it. */
export async function refuseSharedTarget(
  db: Database,
  workflow: { id: string; workspaceId: string },
  target: string,
): Promise<void> {
  const others = await workflowsOfTarget(db, workflow.workspaceId, target)
  const other = others.find(({ id, deleted_at: deleted }) => id !== workflow.id && !deleted)
  if (!other) return
  // A page moves between spaces, and then each would take the other's elements for its own leftovers.
  throw new AppError('in_use', `the workflow "${other.name}" already writes this wiki into this index`, {
    fix: 'Add the spaces to its source, or use another index',
  })
}

/** A connector that is about to change: its workflows must not meet others at their new target. */
export async function retarget(db: Database, changed: ConnectorRow): Promise<() => Promise<void>> {
  const moves: { id: string; target: string }[] = []
  for (const workflow of await workflowsUsing(db, changed.id)) {
    const other = changed.kind === 'source' ? workflow.destination_id : workflow.source_id
    const otherRow = other ? await readConnector(db, other) : undefined
    if (!otherRow) continue
    const [source, destination] = changed.kind === 'source' ? [changed, otherRow] : [otherRow, changed]
    const target = ledgerTarget(source, destination)
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
  const deletedPredecessors = async (on: Database) =>
    (await workflowsOfTarget(on, workflow.workspace_id, target))
      .filter((other) => other.deleted_at !== null && other.id !== workflow.id)
      .toSorted((a, b) => Number(b.deleted_at) - Number(a.deleted_at))
  const [lastDeleted] = await deletedPredecessors(db)
  if (!lastDeleted) return
  // A run of it may have moved the alias and died: what is cleared up meanwhile, and what is not, is inherited whole.
  await withWorkflowLock(db, lastDeleted.id, async (locked) => {
    const before = await deletedPredecessors(locked)
    const ids = before.map(({ id }) => id)
    await adoptDocuments(locked, ids, workflow.id)
    await adoptSwaps(locked, ids, workflow.id)
    const last = before.find(({ id }) => id === lastDeleted.id)
    if (last?.index_uuid)
      await noteIndex(locked, workflow.id, { name: last.index_name, uuid: last.index_uuid })
  })
}

function siteOf(address: string): string {
  const url = URL.parse(address)
  return url ? `${url.host}${url.pathname.replace(/\/(wiki\/?)?$/, '')}` : address
}
