import { z } from 'zod'
import { creationOf } from '../../../connectors/capabilities.ts'
import type { IndexCreation } from '../../../connectors/destination.ts'
import { withDestination } from '../../../jobs/connections.ts'
import { defaultDims } from '../../../pipeline/embed/model.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { destinationIn } from './connector-in.ts'

/** Of the default embedder. */
export const SHAPE = { dims: defaultDims }

/** Creates a missing index before the first run. */
export function createIndexRoutes(app: App, { resources, connections }: ApiContext): void {
  const { db } = resources
  const path = '/destinations/:id/create-index'

  const withCreation = <T>(id: string, work: (creation: IndexCreation) => Promise<T>) =>
    withDestination(connections, id, (destination) => work(creationOf(destination)))

  app.get(
    path,
    {
      config: { allows: 'developer', keys: true },
      schema: { params: idParams, response: { 200: creationPlanShape } },
    },
    async (request, reply) => {
      const { id } = await destinationIn(db, callerOf(request).workspaceId, request.params.id)
      return withDeadline(reply, { doing: 'looking for the index' }, (signal) =>
        withCreation(id, (creation) => creation.plan(SHAPE, signal)),
      )
    },
  )

  app.post(
    path,
    {
      config: { allows: 'developer', keys: true },
      schema: { params: idParams, response: { 200: z.object({ created: z.boolean() }) } },
    },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const { id, name } = await destinationIn(db, workspaceId, request.params.id)
      const result = await withDeadline(reply, { doing: 'creating the index' }, (signal) =>
        withCreation(id, (creation) => creation.run(SHAPE, signal)),
      )
      if (result.created)
        await recordAudit(db, {
          workspaceId,
          actor,
          action: 'create_index',
          subject: { destination: id, name },
        })
      return result
    },
  )
}

export const creationPlanShape = z.object({
  name: z.string(),
  exists: z.boolean().nullable().describe('Null if the credentials may not see the index'),
  allowed: z.boolean().nullable().describe('Whether the credentials may create it; null if unknown'),
  request: z
    .object({ method: z.string(), path: z.string(), body: z.record(z.string(), z.unknown()) })
    .describe('The request that creates the index with its whole schema'),
  command: z.string().describe('The same request as a shell command'),
})
