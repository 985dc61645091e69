import { AppError, notFound } from '../../../errors.ts'
import type { Database } from '../../../store/database.ts'
import { readWorkflowIn, type WorkflowRow } from '../../../store/workflows/workflows.ts'
import { isId } from '../../http/context.ts'

/** A workflow of the workspace by the id in an address. */
export async function workflowIn(db: Database, workspaceId: string, id: string): Promise<WorkflowRow> {
  const row = isId(id) ? await readWorkflowIn(db, workspaceId, id) : undefined
  if (!row) throw notFound('Workflow')
  return row
}

export function sourceIdOf({ name, source_id: id }: WorkflowRow): string {
  if (id) return id
  throw new AppError('not_possible', `the workflow "${name}" has no source`, {
    fix: 'Add a source to the workflow first',
  })
}
