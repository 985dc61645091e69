import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { withSource } from '../../../jobs/connections.ts'
import { PATIENCE_MS } from '../../../search/memberships.ts'
import type { Names } from '../../../search/names.ts'
import { workflowsUsing } from '../../../store/workflows/workflows.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { destinationIn } from '../connectors/connector-in.ts'

// A person is typing, so a slower response is useless.
const TIMEOUT_MS = 10_000

type FoundPerson = { id: string; name: string | null }

/** People to search as; for members who may search. */
export function peopleRoutes(
  app: App,
  { resources: { db, log }, connections }: ApiContext,
  names: Names,
): void {
  const cache = new LRUCache<string, FoundPerson[]>({ max: 1000, ttl: 5 * 60_000 })

  /** Empty if the source has no people to find. */
  async function findPeople(
    { sourceId, workspaceId }: { sourceId: string; workspaceId: string },
    text: string,
    signal: AbortSignal,
  ): Promise<FoundPerson[]> {
    const key = `${sourceId}\n${text.toLowerCase()}`
    const cached = cache.get(key)
    if (cached) return cached
    return withSource(connections, { sourceId, maxWaitMs: PATIENCE_MS }, async (source) => {
      const found = (await source.people?.find(text, signal)) ?? []
      cache.set(key, found)
      const { name: site } = await source.site(signal)
      await names.remember({ workspaceId, site }, found)
      return found
    })
  }

  app.get(
    '/destinations/:id/people',
    {
      config: { allows: 'administrator', keys: true },
      schema: {
        params: idParams,
        querystring: z.strictObject({ query: z.string().trim().max(200).default('') }),
        response: { 200: z.object({ people: z.array(personShape) }) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { query } = request.query
      const { workspaceId } = callerOf(request)
      const destination = await destinationIn(db, workspaceId, id)
      const workflows = await workflowsUsing(db, destination.id)
      const sources = [...new Set(workflows.flatMap((workflow) => workflow.source_id ?? []))]
      return withDeadline(reply, { ms: TIMEOUT_MS, doing: 'searching people' }, async (signal) => {
        const found = await Promise.all(
          sources.map((sourceId) =>
            findPeople({ sourceId, workspaceId }, query, signal).catch((error: unknown) => {
              log.debug({ err: error, source_id: sourceId }, 'searching people in a source failed')
              return []
            }),
          ),
        )
        const byId = new Map(found.flat().map((person) => [person.id, person]))
        return { people: [...byId.values()] }
      })
    },
  )
}

const personShape = z.object({ id: z.string(), name: z.string().nullable() })
