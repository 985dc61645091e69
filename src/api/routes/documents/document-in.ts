import { notFound } from '../../../errors.ts'
import type { Database } from '../../../store/database.ts'
import { type DocumentInWorkflow, findInWorkflows } from '../../../store/ledger/known-documents.ts'
import type { WorkflowRow } from '../../../store/workflows/workflows.ts'
import { workflowIn } from '../workflows/workflow-in.ts'

type DocumentKey = { workspaceId: string; record_id: string; workflow_id: string }
export type WorkflowAndDocument = { workflow: WorkflowRow; found: DocumentInWorkflow }

/** A document that a workflow of the workspace knows. */
export async function documentIn(db: Database, key: DocumentKey): Promise<WorkflowAndDocument> {
  const { workspaceId, record_id: recordId, workflow_id: id } = key
  const workflow = await workflowIn(db, workspaceId, id)
  const known = await findInWorkflows(db, workspaceId, recordId)
  const found = known.find(({ workflow_id: other }) => other === workflow.id)
  if (!found) throw notFound('Document')
  return { workflow, found }
}
