import type { Database } from '../store/database.ts'
import { dueRemovals, postponeRemovals, workflowsWithDueRemovals } from '../store/ledger/removed-elements.ts'
import { readWorkflow, type WorkflowRow } from '../store/workflows/workflows.ts'
import type { Connections } from './connections.ts'
import type { WrittenIndex } from './job-run.ts'
import { withWrittenIndexes } from './passes/written-indexes.ts'
import type { Resources } from './resources.ts'

type RemoveContext = { resources: Resources; connections: Connections }

/**
 * Removes elements again that left an index. A cluster forgets the version of a removal after `gc_deletes` (60 s) and
 * then accepts the write of a task that was frozen; elements with a later fence stay.
 */
export async function removeAgain(context: RemoveContext, signal: AbortSignal): Promise<void> {
  const { db, log } = context.resources
  for (const workflowId of await workflowsWithDueRemovals(db)) {
    signal.throwIfAborted()
    const workflow = await readWorkflow(db, workflowId)
    if (!workflow) continue
    // An index that was replaced has nothing to remove.
    const remove = (indexes: WrittenIndex[], inner: AbortSignal) =>
      indexes.length > 0 ? removeDue(indexes, context, inner) : postponeAll(db, workflow)
    await withWrittenIndexes(workflow, context, remove, signal).catch((error: unknown) =>
      log.warn({ workflow_id: workflowId, err: error }, 'removing elements again failed'),
    )
  }
}

async function postponeAll(db: Database, { id, ledger_id: ledgerId }: WorkflowRow): Promise<void> {
  const due = await dueRemovals(db, { workflowId: id, ledgerId })
  await postponeRemovals(
    db,
    due.map(({ id }) => id),
  )
}

async function removeDue(
  indexes: WrittenIndex[],
  { resources: { db } }: RemoveContext,
  signal: AbortSignal,
): Promise<void> {
  for (const { ledger, destination } of indexes) {
    for (let due = await dueRemovals(db, ledger); due.length > 0; due = await dueRemovals(db, ledger)) {
      for (const [fence, removed] of Map.groupBy(due, (each) => each.fence))
        await destination.remove(removed, fence, signal)
      await postponeRemovals(
        db,
        due.map(({ id }) => id),
      )
    }
  }
}
