import { z } from 'zod'
import { documentHistory } from '../../../store/jobs/document-history.ts'
import { readWorkflowIn } from '../../../store/workflows/workflows.ts'
import { type ApiContext, type App, callerOf, isId } from '../../context.ts'
import { notFound } from '../../errors.ts'

/** The outcome of one document in each job of a workflow. */
export function documentHistoryRoutes(app: App, { resources: { db } }: ApiContext): void {
  app.get(
    '/workflows/:id/documents',
    {
      config: { allows: 'viewer', keys: true },
      schema: {
        tags: ['workflows'],
        params: z.object({ id: z.string() }),
        querystring: z.strictObject({ record_id: z.string().min(1).max(1000) }),
        response: { 200: z.array(passageShape) },
      },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const { id } = request.params
      const workflow = isId(id) ? await readWorkflowIn(db, workspaceId, id) : undefined
      if (!workflow) throw notFound('Workflow')
      const passages = await documentHistory(db, { id: workflow.id, workspaceId }, request.query.record_id)
      return passages.map(({ at, error_code: code, error_message: message, ...passage }) => ({
        ...passage,
        at: at.toISOString(),
        error: code ? { code, message: message ?? '' } : null,
      }))
    },
  )
}

const passageShape = z.object({
  job_id: z.string(),
  at: z.string(),
  state: z.string(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  elements: z.number().nullable(),
})
