import { z } from 'zod'
import { isSandboxConfig } from '../../../jobs/sandbox.ts'
import { listConnectorPart } from '../../../store/connectors/connectors.ts'
import { lastWrites } from '../../../store/connectors/last-written.ts'
import { type ApiContext, type App, callerOf } from '../../http/context.ts'
import { announceNext, listQuery, rangeOf } from '../../http/list-page.ts'

/** The destinations a member can search; readers see no more of a connector. */
export function searchDestinationRoutes(app: App, { resources: { db, registry } }: ApiContext): void {
  app.get(
    '/search/destinations',
    {
      config: { allows: 'reader', keys: true },
      schema: { tags: ['destinations'], querystring: z.object(listQuery), response: { 200: z.array(shape) } },
    },
    async (request, reply) => {
      const { workspaceId } = callerOf(request)
      const range = { kind: 'destination', ...rangeOf(request.query) } as const
      const { rows: all, next } = await listConnectorPart(db, workspaceId, range)
      announceNext(request, reply, next)
      const written = await lastWrites(db, workspaceId)
      return all
        .filter(({ type }) => registry.destination(type)?.capabilities.includes('search'))
        .map(({ id, name, config }) => ({
          id,
          name,
          sandbox: isSandboxConfig(config),
          last_written_at: written.get(id)?.toISOString() ?? null,
        }))
    },
  )
}

const shape = z.object({
  id: z.string(),
  name: z.string(),
  sandbox: z.boolean(),
  /** When the last job into it ended; null if none has. */
  last_written_at: z.string().nullable(),
})
