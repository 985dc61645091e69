import { scopesOf } from '../../../connectors/capabilities.ts'
import { jsonSchema } from '../../../connectors/describe.ts'
import { AppError } from '../../../errors.ts'
import { withSource } from '../../../jobs/connections.ts'
import { readConnectorIn } from '../../../store/connectors/connectors.ts'
import { documentsByScope, experienceOf } from '../../../store/jobs/workflow-runs.ts'
import { storeEstimate } from '../../../store/workflows/workflows.ts'
import { estimateRun, limitsOf } from '../../../workflows/estimate.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { estimateShape } from '../../shapes/workflow-runs.ts'
import { workflowIn } from './workflow-in.ts'

const PATIENCE_MS = 3_000

/** What the next run of a workflow will read, before it runs. */
export function estimateRoutes(app: App, { resources, connections, reads }: ApiContext): void {
  const { db, registry } = resources
  app.post(
    '/workflows/:id/estimate',
    {
      config: { allows: 'operator', keys: true },
      schema: { params: idParams, response: { 200: estimateShape } },
    },
    async (request, reply) => {
      const { workspaceId } = callerOf(request)
      const { id } = request.params
      const workflow = await workflowIn(db, workspaceId, id)
      const row = workflow.source_id
        ? await readConnectorIn(db, workspaceId, { kind: 'source', id: workflow.source_id })
        : undefined
      const type = row && registry.source(row.type)
      if (!row || !type)
        throw new AppError('not_possible', `the workflow "${workflow.name}" has no source`, {
          fix: 'Choose a source first',
        })
      return withSource(connections, { sourceId: row.id, maxWaitMs: PATIENCE_MS }, async (source) => {
        const deadline = { doing: `counting the ${type.terms.document}s` }
        const scopes = await withDeadline(reply, deadline, (signal) => scopesOf(source)(signal))
        const [experience, known] = await reads.run(workspaceId, (transaction) =>
          Promise.all([experienceOf(transaction, id), documentsByScope(transaction, id)]),
        )
        const limits = limitsOf(jsonSchema(type), row.config)
        const estimate = estimateRun({ scopes, limits, experience, known }, new Date())
        await storeEstimate(db, id, estimate)
        return estimate
      })
    },
  )
}
