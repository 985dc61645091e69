import { z } from 'zod'
import { documentHistory } from '../../../store/jobs/document-history.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { documentRunShape } from '../../shapes/document.ts'
import { toRun } from '../documents/documents.ts'
import { workflowIn } from '../workflows/workflow-in.ts'

/** The outcome of one document in each job of a workflow. */
export function documentHistoryRoutes(app: App, { resources: { db } }: ApiContext): void {
  app.get(
    '/workflows/:id/documents',
    {
      config: { allows: 'viewer', keys: true },
      schema: {
        params: idParams,
        querystring: z.strictObject({ record_id: z.string().min(1).max(1000) }),
        response: { 200: z.array(documentRunShape) },
      },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const { id } = request.params
      const workflow = await workflowIn(db, workspaceId, id)
      const entries = await documentHistory(db, { id: workflow.id, workspaceId }, request.query.record_id)
      return entries.map(toRun)
    },
  )
}
