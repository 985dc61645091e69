import { readWorkflow } from '../../store/workflows/workflows.ts'
import { writeUnwrittenPermissions } from '../passes/write-permissions.ts'
import { withWrittenIndexes } from '../passes/written-indexes.ts'
import type { Handler } from '../queue/engine.ts'
import type { TaskContext } from './job-task.ts'

/** Writes permissions that changed outside a pass, such as those of documents that were just written. */
export function writePermissionsTask({ resources, connections }: TaskContext): Handler<'write_permissions'> {
  const { db } = resources
  return async ({ workflowId }, { signal }) => {
    const workflow = await readWorkflow(db, workflowId)
    if (!workflow) return
    await withWrittenIndexes(
      workflow,
      { resources, connections },
      (indexes, inner) => writeUnwrittenPermissions(db, { workflowId, indexes, waits: true }, inner),
      signal,
    )
  }
}
