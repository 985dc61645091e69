import { z } from 'zod'
import { isSandboxConfig } from '../../jobs/sandbox.ts'
import { listConnectors } from '../../store/connectors/connectors.ts'
import { lastWrites } from '../../store/connectors/last-written.ts'
import { type ApiContext, type App, callerOf } from '../context.ts'

/** The destinations a member can search; readers see no more of a connector. */
export function searchDestinationRoutes(app: App, { resources: { db, registry } }: ApiContext): void {
  app.get(
    '/search/destinations',
    {
      config: { allows: 'reader', keys: true },
      schema: { tags: ['destinations'], response: { 200: z.array(shape) } },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const all = await listConnectors(db, workspaceId, { kind: 'destination' })
      const written = await lastWrites(db, workspaceId)
      return all
        .filter(({ type }) => registry.destination(type)?.capabilities.includes('search'))
        .map(({ id, name, config }) => ({
          ...{ id, name, sandbox: isSandboxConfig(config) },
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
